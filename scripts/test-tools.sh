#!/bin/sh
# Sees to the programs that tests call besides Node: openssl, which they cannot do without; ignition-validate, whose
# recorded answers serve where it cannot be had; and promtool, without which rules are only looked at.
set -eu

install_openssl() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 1
  echo 'test-tools: installing openssl' >&2
  { apt-get update && apt-get install --yes --no-install-recommends openssl; } >/dev/null
}

if ! command -v openssl >/dev/null && ! install_openssl; then
  echo 'test-tools: the tests make certificates with openssl: install it, then try again' >&2
  exit 1
fi

"$(dirname "$0")/ignition-validate.sh" >/dev/null || true
"$(dirname "$0")/debian-program.sh" prometheus promtool >/dev/null || true
