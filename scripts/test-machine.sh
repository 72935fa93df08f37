# shellcheck shell=bash
# What the scripts that build machines for tests have in common: they source it, and name their caches after it too.

log="$(mktemp)"
trap 'rm -f "$log"' EXIT

say() { echo "$(basename "$0" .sh): $1" >&2; }

# cache_for <name> <files…>: the directory in the cache of what these files build.
cache_for() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/machinist/$1-$(cat "${@:2}" | sha256sum | cut -c1-12)"; }

all_there() { [[ $(command -v "$@" | wc -l) -eq $# ]]; }

install_packages() {
  command -v apt-get >/dev/null || { say "install $* by hand: there is no apt here" && return 1; }
  say "installing $*"
  apt update && apt install --yes --no-install-recommends "$@" && return
  say "apt could not install $*: $(tail -n 1 "$log")" && return 1
}

apt() {
  DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -o Acquire::Retries=1 "$@" >"$log" 2>&1
}

# build_once <directory> <what it does> <function> <arguments…>: prints the directory, in which the function has built.
# Two runs at once must not build twice: the second waits for the first and finds its result.
build_once() {
  mkdir -p "$(dirname "$1")"
  exec 9>"$1.lock"
  flock --timeout 900 9 || { say 'somebody else is building, without an end' && return 1; }
  [[ -e $1/ready ]] || build_whole "$@" || return 1
  echo "$1"
}

# Whole or not at all: an interrupted build leaves no directory that looks finished.
build_whole() {
  say "$2"
  scratch="$(mktemp -d "$1.building-XXXXXX")"
  trap 'rm -rf "$scratch" "$log"' EXIT
  "$3" "$scratch" "${@:4}" >"$log" 2>&1 || {
    say "it could not be built: $(tail -n 1 "$log")"
    return 1
  }
  touch "$scratch/ready"
  rm -rf "$1"
  mv "$scratch" "$1"
}
