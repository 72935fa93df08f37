#!/usr/bin/env bash
# Builds the images and runs the suites that try them out, some of them on a machine with a real systemd.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/image-tests.sh [vitest's arguments…]

Wants to be root on Debian or a kin: installs what scripts/images.sh and scripts/host-tests.sh need. Where it is not, or a package
cannot be had, it says so and skips.

Exit status: of the suites; 0 if they were skipped.
HELP
}

case "${1:-}" in -h | --help) usage && exit ;; esac
cd "$(dirname "$0")/.."
exec node_modules/.bin/vitest run --config test/images/vitest.config.ts "$@"
