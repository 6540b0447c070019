/* libsystemd: messages on D-Bus, and readiness for systemd. Headers only, no logic. */
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
