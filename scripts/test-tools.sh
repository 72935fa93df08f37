#!/bin/sh
# Provides the programs that tests call besides Node: openssl, which is required; ignition-validate, whose recorded results
# replace it if it is not available; and promtool, without which rules are only parsed.
set -eu

install_openssl() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 1
  echo 'test-tools: installing openssl' >&2
  { apt-get update && apt-get install --yes --no-install-recommends openssl; } >/dev/null
}

if ! command -v openssl >/dev/null && ! install_openssl; then
  echo 'test-tools: the tests create certificates with openssl: install it, then retry' >&2
  exit 1
fi

"$(dirname "$0")/ignition-validate.sh" >/dev/null || true
"$(dirname "$0")/debian-program.sh" prometheus promtool >/dev/null || true
