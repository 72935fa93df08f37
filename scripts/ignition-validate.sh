#!/bin/sh
# Prints the path of a real ignition-validate, which tests hold our validator against. Takes it from PATH, else from a
# cache outside the checkout, else from Debian's package. Exits 3 if none can be had.
set -eu

if command -v ignition-validate; then
  exit 0
fi

cache="${XDG_CACHE_HOME:-$HOME/.cache}/machinist/ignition"
program="$cache/ignition-validate"
if [ -x "$program" ]; then
  echo "$program"
  exit 0
fi

give_up() {
  echo "ignition-validate.sh: $1" >&2
  exit 3
}

for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || give_up "no ignition-validate on PATH, and no $tool to fetch Debian's package with"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

apt() {
  timeout 120 apt-get -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 -o Acquire::Retries=1 "$@" >"$work/log" 2>&1
}
# The lists of packages may be missing or old. Refreshing them needs root; without, what is there has to do.
apt download ignition || { apt update && apt download ignition; } ||
  give_up "Debian's package 'ignition' could not be fetched: $(tail -n 1 "$work/log")"

dpkg-deb -x "$work"/ignition_*.deb "$work/unpacked"
[ -x "$work/unpacked/usr/bin/ignition-validate" ] || give_up "Debian's package 'ignition' holds no ignition-validate"

# Copied beside its place and then renamed, so that two runs at once never see half a program.
{
  mkdir -p "$cache" &&
    cp "$work/unpacked/usr/bin/ignition-validate" "$program.$$" &&
    mv "$program.$$" "$program"
} 2>"$work/log" || give_up "$cache cannot be written: $(tail -n 1 "$work/log")"
echo "$program"
