#!/usr/bin/env bash
# Builds the container images without a base image or registry; only packages are downloaded.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/images.sh [options] [machinist] [machinist-daemon]

Builds both images, or the named ones, with buildah, and prints their tags and sizes. They contain Machinist, the Node that it
is tested with, and the libraries of Node from packages of this Debian; no shell and no package manager.

  --base IMAGE   build on this image, which must contain glibc and libstdc++, and chroot for the daemon
  --tag TAG      tag of the images (default: the version)
  --save DIR     also write each image as an archive, DIR/<image>.tar, with the name docker.io/library/<image>:<tag>, which
                 nodes resolve: `ctr --namespace k8s.io images import DIR/<image>.tar`
  --tools        only check for buildah and strip; as root on Debian, install them with apt if they are missing

buildah decides where images are stored: see CONTAINERS_STORAGE_CONF and STORAGE_DRIVER (vfs needs no root).

Exit status: 0; 3 if the tools are missing.
HELP
}

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
project="$(dirname "$here")"
# shellcheck source=scripts/test-machine.sh
. "$here/test-machine.sh"
export PATH="$project/node_modules/.bin:$PATH"

main() {
  local base='' tag='' save='' images=()
  while [[ $# -gt 0 ]]; do
    case "$1" in
      -h | --help) usage && return ;;
      --tools) tools && return || exit 3 ;;
      --base | --tag | --save)
        [[ -n ${2:-} ]] || fail "$1 requires a value"
        printf -v "${1#--}" %s "$2"
        shift
        ;;
      machinist | machinist-daemon) images+=("$1") ;;
      *) fail "unknown argument $1: see --help" ;;
    esac
    shift
  done
  [[ ${#images[@]} -gt 0 ]] || images=(machinist machinist-daemon)
  tools || exit 3
  work="$(mktemp -d)"
  trap 'rm -rf "$work" "$log"' EXIT
  node_of_images "$work/node"
  version="$(node -p 'require(process.argv[1]).version' "$project/package.json")"
  for image in "${images[@]}"; do build "$image" "${tag:-$version}" "$base" "$save"; done
}

fail() { say "$1" && exit 2; }

tools() {
  all_there buildah strip && return
  [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null && install_packages buildah binutils && return
  say 'buildah and strip are required: install buildah and binutils, then retry' && return 1
}

# build <image> <tag> <base> <directory to save in>
build() {
  local image="$1" name="$1:$2" context="$work/$1"
  mkdir "$context" "$context/root"
  cp --link "$work/node" "$context/node"
  program "$image" "$context/program"
  [[ -n $3 ]] || PACKAGES="$work/packages" "$here/image-root.sh" "$context/root" "$work/node" "$(programs_of "$image")"
  chmod -R u=rwX,go=rX "$context"
  # With the time of the last commit, so that builds are reproducible.
  buildah build --quiet --layers --format oci --isolation chroot --timestamp "$(when)" --build-arg VERSION="$2" \
    ${3:+--build-arg BASE="$3"} --file "$project/deploy/images/$image/Containerfile" --tag "$name" "$context" >"$log" ||
    { say "cannot build $name" && exit 1; }
  echo "$name: $(du -sm "$context" | cut -f 1) MB"
  # With the full name: container runtimes resolve an image without a host in docker.io/library.
  [[ -z $4 ]] || { mkdir -p "$4" && buildah push --quiet "$name" "oci-archive:$4/$image.tar:docker.io/library/$name"; }
  rm -rf "$context"
}

# Programs that run in the container, not on the machine.
programs_of() { [[ $1 != machinist-daemon ]] || echo coreutils:/usr/sbin/chroot; }

when() { echo "${SOURCE_DATE_EPOCH:-$(git -C "$project" log -1 --format=%ct 2>/dev/null || echo 0)}"; }

# Without debug symbols, which are a fifth of its size.
node_of_images() { strip --strip-unneeded -o "$1" "$(readlink -f "$project/node_modules/.bin/node")"; }

# program <image> <directory>: the program, with its licenses and that of Node.
program() {
  local kind=cluster name
  [[ $1 == machinist ]] || kind=daemon
  node "$here/bundle.ts" "$2" "$kind"
  # A shell script. The image has no shell, but machines copy the daemon out of its image.
  [[ $kind == daemon ]] || rm "$2/machinist"
  mkdir "$2/licenses"
  cp "$project/LICENSE" "$2/licenses/machinist"
  cp "$project"/node_modules/node-*/LICENSE "$2/licenses/node"
  for name in $(libraries); do
    cp "$project/node_modules/$name"/[Ll][Ii][Cc][Ee][Nn][Ss]* "$2/licenses/${name//\//-}"
  done
}

# The third-party packages that the program and its workspace packages depend on.
libraries() {
  node -p '
    const manifests = process.argv.slice(1).map((path) => require(path))
    const names = manifests.flatMap(({ dependencies = {} }) => Object.keys(dependencies))
    names.filter((name) => !name.startsWith("@machinist/")).join(" ")
  ' "$project/package.json" "$project"/packages/*/package.json
}

main "$@"
