# The front door. Each target installs what it needs: on Debian 12 with a Swift 6.3 toolchain, nothing
# else has to be done first.

SHELL := /bin/bash
# Bound at start: the first call of a lazily bound function leaves registers, and so plaintext, on the stack.
BUILD_SEAL := swift build -c release --product seal -Xlinker -z -Xlinker now
.PHONY: demo deb test check docs bench build packages test-packages format vectors clean

demo: packages
	$(BUILD_SEAL)
	.build/release/seal demo

test: test-packages
	scripts/test.sh
	$(BUILD_SEAL)
	scripts/readme-check.sh

build: packages
	swift build --build-tests

# Everything that CI runs.
check: test-packages
	swift format lint --strict --recursive Sources Tests Examples Benchmarks/Sources SQLiteSuites/Sources Package.swift Benchmarks/Package.swift SQLiteSuites/Package.swift
	scripts/test.sh
	scripts/docs.sh
	/usr/bin/python3 Tests/Reader/check_vectors.py
	$(BUILD_SEAL)
	scripts/readme-check.sh
	swift build -c release --package-path Benchmarks
	@if [ "$$(id -u)" = 0 ]; then /usr/bin/python3 Tests/PowerCut/powercut.py .build/debug/CrashDriver; fi

# A Debian package with the Swift runtime inside, unpacked and tried.
deb: packages
	scripts/deb.sh
	scripts/deb-try.sh .build/deb/seal_*.deb

bench: packages
	scripts/bench.sh

format:
	swift format --in-place --recursive Sources Tests Examples Benchmarks/Sources SQLiteSuites/Sources Package.swift Benchmarks/Package.swift SQLiteSuites/Package.swift

docs: packages
	scripts/docs.sh

vectors:
	/usr/bin/python3 Tests/Reader/make_vectors.py

packages:
	@scripts/install-packages.sh build

test-packages:
	@scripts/install-packages.sh build test

clean:
	rm -rf .build Benchmarks/.build
