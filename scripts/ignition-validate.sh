#!/bin/sh
# Prints the path of a real ignition-validate, the reference for Machinist's validator. Exits 3 if none is available.
set -eu
exec "$(dirname "$0")/debian-program.sh" ignition ignition-validate
