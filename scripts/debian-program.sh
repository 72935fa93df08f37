#!/bin/sh
# Usage: debian-program.sh PACKAGE PROGRAM. Prints the path of a reference program for tests: from PATH, from a cache outside the
# checkout, or from Debian's package. Exits 3 if none is available.
set -eu
package=$1
name=$2

if command -v "$name"; then
  exit 0
fi

cache="${XDG_CACHE_HOME:-$HOME/.cache}/machinist/$package"
program="$cache/$name"
if [ -x "$program" ]; then
  echo "$program"
  exit 0
fi

give_up() {
  echo "$name: $1" >&2
  exit 3
}

for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || give_up "no $name on PATH, and no $tool to download Debian's package"
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

apt() {
  timeout 120 apt-get -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 -o Acquire::Retries=1 "$@" >"$work/log" 2>&1
}
# The package lists may be missing or old. Updating them needs root; without root, the existing ones are used.
apt download "$package" || { apt update && apt download "$package"; } ||
  give_up "Debian's package '$package' could not be downloaded: $(tail -n 1 "$work/log")"

dpkg-deb -x "$work/$package"_*.deb "$work/unpacked"
found=$(find "$work/unpacked" -type f -name "$name" -perm -u+x | head -n 1)
[ -n "$found" ] || give_up "Debian's package '$package' contains no $name"

# Copied and then renamed, so that a concurrent run never sees a partial program.
{
  mkdir -p "$cache" &&
    cp "$found" "$program.$$" &&
    mv "$program.$$" "$program"
} 2>"$work/log" || give_up "$cache cannot be written: $(tail -n 1 "$work/log")"
echo "$program"
