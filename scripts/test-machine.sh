# shellcheck shell=bash
# Shared by the scripts that build machines for tests. They source it, and its content is part of the digest of their caches.

log="$(mktemp)"
trap 'rm -f "$log"' EXIT

say() { echo "$(basename "$0" .sh): $1" >&2; }

# cache_for <name> <files…>: the cache directory for the result of these files.
cache_for() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/machinist/$1-$(cat "${@:2}" | sha256sum | cut -c1-12)"; }

all_there() { [[ $(command -v "$@" | wc -l) -eq $# ]]; }

install_packages() {
  command -v apt-get >/dev/null || { say "install $* manually: apt is not available" && return 1; }
  say "installing $*"
  apt update && apt install --yes --no-install-recommends "$@" && return
  say "apt cannot install $*: $(tail -n 1 "$log")" && return 1
}

apt() {
  DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -o Acquire::Retries=1 "$@" >"$log" 2>&1
}

# build_once <directory> <description> <function> <arguments…>: prints the directory with the result of the function.
# Concurrent runs build once: the second waits for the first and uses its result.
build_once() {
  mkdir -p "$(dirname "$1")"
  exec 9>"$1.lock"
  flock --timeout 900 9 || { say 'timed out waiting for another build' && return 1; }
  [[ -e $1/ready ]] || build_whole "$@" || return 1
  echo "$1"
}

# Atomic: an interrupted build leaves no directory that looks complete.
build_whole() {
  say "$2"
  scratch="$(mktemp -d "$1.building-XXXXXX")"
  trap 'rm -rf "$scratch" "$log"' EXIT
  "$3" "$scratch" "${@:4}" >"$log" 2>&1 || {
    say "the build failed: $(tail -n 1 "$log")"
    return 1
  }
  touch "$scratch/ready"
  rm -rf "$1"
  mv "$scratch" "$1"
}
