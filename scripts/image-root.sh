#!/usr/bin/env bash
# Builds the root file system of an image without a base image.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/image-root.sh DIRECTORY PROGRAM [PACKAGE:PATH]

Copies to DIRECTORY the shared libraries of PROGRAM, the program at PATH of a Debian PACKAGE with its libraries, passwd, group and
nsswitch.conf, and for every package its copyright and the dpkg status that scanners read. PROGRAM itself is not copied. Packages
are downloaded with `apt-get download` to the directory $PACKAGES, if it is set, and reused from there; nothing is installed, and
no root is needed.
HELP
}

# The libraries of Node; copy_libraries fails if one is missing.
libraries=(libc6 libgcc-s1 libstdc++6 libatomic1)
used=()

main() {
  case "${1:-}" in -h | --help | '') usage && return ;; esac
  local root="$1" node="$2" wanted="${3:-}"
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
  debs="${PACKAGES:-$work/debs}"
  mkdir -p "$debs" "$work/files"
  fetch "${libraries[@]}" ${wanted:+"${wanted%%:*}"}
  skeleton "$root"
  copy_libraries "$node" "$root"
  if [[ -n $wanted ]]; then
    local path="${wanted#*:}"
    install -D -m 0755 "$(first "$work/files$path" "$work/files/usr$path")" "$root$path"
    copy_libraries "$root$path" "$root"
  fi
}

fail() {
  echo "image-root: $1" >&2
  exit 1
}

# fetch <packages…>: unpacks them, and the packages that contain their copyright.
fetch() {
  local tool package link missing=() beside=()
  for tool in apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || fail "no $tool to download Debian's packages: build on a base image with --base"
  done
  for package; do compgen -G "$debs/${package}_*.deb" >/dev/null || missing+=("$package"); done
  [[ ${#missing[@]} -eq 0 ]] || (cd "$debs" && { apt download "${missing[@]}" || { apt update && apt download "${missing[@]}"; }; }) ||
    fail "Debian's packages could not be downloaded: $(tail -n 1 "$work/log")"
  for package; do dpkg-deb -x "$debs/${package}"_*.deb "$work/files" && used+=("$package"); done
  for link in "$work/files"/usr/share/doc/*; do [[ -e $link ]] || beside+=("$(basename "$(readlink "$link")")"); done
  # shellcheck disable=SC2046 # Several words.
  [[ ${#beside[@]} -eq 0 ]] || fetch $(printf '%s\n' "${beside[@]}" | sort -u)
}

apt() {
  timeout 120 apt-get -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 -o Acquire::Retries=1 "$@" >"$work/log" 2>&1
}

skeleton() {
  local root="$1" directory package
  for directory in dev etc/machinist/metrics-tls proc rootfs run sys tmp usr/bin usr/lib usr/lib64 usr/sbin usr/share/doc var/lib/dpkg/status.d; do
    mkdir -p "$root/$directory"
  done
  for directory in bin lib lib64 sbin; do ln -s "usr/$directory" "$root/$directory"; done
  ln -s /run "$root/var/run"
  printf '%s\n' root:x:0:0:root:/:/nonexistent machinist:x:65532:65532:machinist:/:/nonexistent >"$root/etc/passwd"
  printf '%s\n' root:x:0: machinist:x:65532: >"$root/etc/group"
  echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
  # Scanners read the distribution from it.
  cp /etc/os-release "$root/etc/os-release"
  for package in "${used[@]}"; do
    dpkg-deb -f "$debs/${package}"_*.deb >"$root/var/lib/dpkg/status.d/$package"
    install -D -m 0644 "$work/files/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
  done
}

# copy_libraries <program> <root>: copies the libraries that the loader of the packages finds, and the loader.
copy_libraries() {
  local loader triplet search list path
  loader="$(find -L "$work/files" -name 'ld-linux*.so.*' -type f -print -quit)"
  triplet="$(basename "$(dirname "$(find "$work/files" -name libstdc++.so.6 -print -quit)")")"
  search="$work/files/lib/$triplet:$work/files/usr/lib/$triplet"
  list="$("$loader" --library-path "$search" --list "$1")" || fail "the loader cannot list the libraries of $1"
  while read -r path; do
    [[ $path == "$work"/* ]] || fail "$1 needs $path, which none of ${libraries[*]} contains"
    [[ $path == */ld-linux* ]] || install -D -m 0644 "$path" "$2/usr/lib/$triplet/$(basename "$path")"
  done < <(awk '/=> \// { print $3 }' <<<"$list")
  # The path of the loader depends on the architecture.
  path="usr/lib64"
  [[ $triplet == x86_64-* ]] || path="usr/lib"
  install -D -m 0755 "$loader" "$2/$path/$(basename "$(find "$work/files" -name 'ld-linux*.so.*' -print -quit)")"
}

# The first existing path.
first() {
  local path
  for path; do
    if [[ -e $path ]]; then echo "$path" && return; fi
  done
  fail "none of the packages contains $1"
}

main "$@"
