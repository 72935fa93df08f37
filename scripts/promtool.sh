#!/bin/sh
# Prints the path of a real promtool, which tests check the alert rules with. Exits 3 if none can be had.
set -eu
exec "$(dirname "$0")/debian-program.sh" prometheus promtool
