#!/usr/bin/env bash
# Builds the container images: no base image, no registry, no network but for packages.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/images.sh [options] [machinist] [machinist-daemon]

Builds both images, or those named, with buildah, and prints their tags and sizes. They hold our program, the Node that it
is tested with, and the few libraries that Node needs, from packages of this Debian; no shell and no package manager.

  --base IMAGE   build on this image: it has to bring glibc and libstdc++, and chroot for the daemon
  --tag TAG      the version, unless given
  --save DIR     also write each image as an archive, DIR/<image>.tar, named docker.io/library/<image>:<tag>, which is what
                 nodes look for: `ctr --namespace k8s.io images import DIR/<image>.tar`
  --tools        only see to buildah and strip: installs them by apt where they are missing and this is root on Debian

Where images are kept is buildah's affair: see CONTAINERS_STORAGE_CONF and STORAGE_DRIVER (vfs needs no rights).

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
        [[ -n ${2:-} ]] || fail "$1 wants a value"
        printf -v "${1#--}" %s "$2"
        shift
        ;;
      machinist | machinist-daemon) images+=("$1") ;;
      *) fail "what is $1? See --help" ;;
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
  say 'images are built with buildah and strip: install buildah and binutils, then try again' && return 1
}

# build <image> <tag> <base> <directory to save in>
build() {
  local image="$1" name="$1:$2" context="$work/$1"
  mkdir "$context" "$context/root"
  cp --link "$work/node" "$context/node"
  program "$image" "$context/program"
  [[ -n $3 ]] || PACKAGES="$work/packages" "$here/image-root.sh" "$context/root" "$work/node" "$(programs_of "$image")"
  chmod -R u=rwX,go=rX "$context"
  # By the time of the last commit, so that the same sources make the same image.
  buildah build --quiet --layers --format oci --isolation chroot --timestamp "$(when)" --build-arg VERSION="$2" \
    ${3:+--build-arg BASE="$3"} --file "$project/deploy/images/$image/Containerfile" --tag "$name" "$context" >"$log" ||
    { say "$name could not be built" && exit 1; }
  echo "$name: $(du -sm "$context" | cut -f 1) MB"
  # By the whole name: container runtimes look an image without a host up as one of docker.io/library.
  [[ -z $4 ]] || { mkdir -p "$4" && buildah push --quiet "$name" "oci-archive:$4/$image.tar:docker.io/library/$name"; }
  rm -rf "$context"
}

# What is called inside the container, not on the machine.
programs_of() { [[ $1 != machinist-daemon ]] || echo coreutils:/usr/sbin/chroot; }

when() { echo "${SOURCE_DATE_EPOCH:-$(git -C "$project" log -1 --format=%ct 2>/dev/null || echo 0)}"; }

# Without what only debuggers read: a fifth of it.
node_of_images() { strip --strip-unneeded -o "$1" "$(readlink -f "$project/node_modules/.bin/node")"; }

# program <image> <directory>: our program, and the licences of what is in it and of Node.
program() {
  local kind=cluster name
  [[ $1 == machinist ]] || kind=daemon
  node "$here/bundle.ts" "$2" "$kind"
  # A shell's script. There is none here, but machines take the daemon out of its image.
  [[ $kind == daemon ]] || rm "$2/machinist"
  mkdir "$2/licenses"
  cp "$project/LICENSE" "$2/licenses/machinist"
  cp "$project"/node_modules/node-*/LICENSE "$2/licenses/node"
  for name in $(node -p 'Object.keys(require(process.argv[1]).dependencies).join(" ")' "$project/package.json"); do
    cp "$project/node_modules/$name"/[Ll][Ii][Cc][Ee][Nn][Ss]* "$2/licenses/${name//\//-}"
  done
}

main "$@"
