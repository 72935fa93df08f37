#!/bin/sh
# Prints the path of a real ignition-validate, which tests hold our validator against. Exits 3 if none can be had.
set -eu
exec "$(dirname "$0")/debian-program.sh" ignition ignition-validate
