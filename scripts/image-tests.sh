#!/usr/bin/env bash
# Builds the images and runs their suites, some of them on a machine with a real systemd.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/image-tests.sh [vitest arguments…]

Requires root on Debian or a derivative: installs the requirements of scripts/images.sh and scripts/host-tests.sh. Otherwise, or if a
package is not available, it prints the reason and skips.

Exit status: that of the suites; 0 if they were skipped.
HELP
}

case "${1:-}" in -h | --help) usage && exit ;; esac
cd "$(dirname "$0")/.."
exec node_modules/.bin/vitest run --config test/images/vitest.config.ts "$@"
