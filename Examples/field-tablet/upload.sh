#!/bin/sh
# Sends one item of an outbox with curl, for: seal outbox VOLUME FOLDER drain --exec upload.sh URL
#
# The body comes on standard input. The receiver is told the item's key, which is the same at each attempt, and
# ignores a key that it has. A file of header lines (a token, for instance) is named by UPLOAD_HEADERS, so that it
# is no argument, which everybody on the machine could read.
#
# The exit status is the answer: 0 delivered, 75 try later, 77 other credentials are needed, 1 refused for good.
set -u

answer=$(curl --silent --show-error --max-time 280 --request POST \
    --header 'Content-Type: application/octet-stream' \
    --header "Idempotency-Key: $SEAL_OUTBOX_KEY" \
    ${UPLOAD_HEADERS:+--header "@$UPLOAD_HEADERS"} \
    --data-binary @- --write-out '\n%{http_code}' "$1") || exit 75  # no network, no name, no answer
status=${answer##*
}

case $status in
2??) exit 0 ;;
401 | 403) exit 77 ;;
408 | 425 | 429 | 5??) exit 75 ;;
# A redirection is a network that wants somebody to log in first, more often than a receiver that has moved.
3??) exit 75 ;;
esac
printf 'HTTP %s\n%s\n' "$status" "${answer%????}" >&2
exit 1
