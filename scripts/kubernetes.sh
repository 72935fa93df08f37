#!/usr/bin/env bash
# Prints the directory with kube-apiserver, etcd and kubectl for the suites against a real API server.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/kubernetes.sh [--build]

Prints the directory with kube-apiserver, etcd and kubectl. Searches, in this order:
  1. $KUBEBUILDER_ASSETS, if it contains kube-apiserver and etcd;
  2. the cache, ${XDG_CACHE_HOME:-~/.cache}/machinist/kubernetes-<version>;
  3. with --build: builds them into the cache with Go, from the versions pinned in test/kubernetes/go.mod.

Exit status: 0 found or built, 1 the build failed, 2 wrong usage, 3 not found and no Go to build it.
HELP
}

module="$(cd "$(dirname "${BASH_SOURCE[0]}")/../test/kubernetes" && pwd)"
version="$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$module/go.mod")"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/machinist/kubernetes-$version"

main() {
  local build=no
  case "${1:-}" in
    '') ;;
    --build) build=yes ;;
    -h | --help) usage && return 0 ;;
    *) usage >&2 && return 2 ;;
  esac

  if [[ -n "${KUBEBUILDER_ASSETS:-}" ]] && has_servers "$KUBEBUILDER_ASSETS"; then
    echo "$KUBEBUILDER_ASSETS"
  elif has_servers "$cache"; then
    echo "$cache"
  elif [[ $build == yes ]] && command -v go >/dev/null; then
    build_once
    echo "$cache"
  else
    echo "no Kubernetes $version to test with: set KUBEBUILDER_ASSETS, or install Go and run scripts/kubernetes.sh --build" >&2
    return 3
  fi
}

has_servers() { [[ -x "$1/kube-apiserver" && -x "$1/etcd" ]]; }

# Concurrent runs build once: the second waits for the first and uses its result.
build_once() {
  mkdir -p "$(dirname "$cache")"
  exec 9>"$cache.lock"
  if command -v flock >/dev/null; then flock 9; fi
  has_servers "$cache" || build_into_cache
}

# Atomic: an interrupted build leaves no directory that looks complete.
build_into_cache() {
  scratch="$(mktemp -d "$cache.building-XXXXXX")"
  trap 'rm -rf "$scratch"' EXIT

  local minor="${version#v1.}"
  minor="${minor%%.*}"
  local stamp=k8s.io/component-base/version
  local flags="-s -w -X $stamp.gitVersion=$version -X $stamp.gitMajor=1 -X $stamp.gitMinor=$minor"

  export CGO_ENABLED=0 GOFLAGS=-mod=readonly
  if installed_go_suffices; then export GOTOOLCHAIN=local; fi

  local package
  for package in k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kubectl ./etcd; do
    echo "building $(basename "$package") for Kubernetes $version (all three take about 6 minutes on 2 cores, once)" >&2
    (cd "$module" && go build -trimpath -buildvcs=false -ldflags "$flags" -o "$scratch/$(basename "$package")" "$package") >&2
  done
  mv "$scratch" "$cache"
}

installed_go_suffices() {
  local required installed
  required="$(awk '$1 == "go" { print $2; exit }' "$module/go.mod")"
  installed="$(GOTOOLCHAIN=local go env GOVERSION)"
  [[ "$(printf '%s\n' "$required" "${installed#go}" | sort -V | head -n 1)" == "$required" ]]
}

main "$@"
