#!/usr/bin/env bash
# Runs the daemon on machines with a kernel and disks of their own, under qemu, and cuts their power.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/vm-test.sh [--prepare] [vitest's arguments…]

Installs what the machine lacks (qemu-system-x86, by apt), puts Debian's cloud kernel into the small Debian of
scripts/host-tests.sh, makes a disk of it in the cache, ${XDG_CACHE_HOME:-~/.cache}/machinist/vm-<digest>, and runs the suites in
test/vm. Wants to be root on a Debian or a kin with an x86 processor; needs no hardware virtualization. Where that is not
so, or a package cannot be had, it says so and skips.

  --prepare   only prepares, and prints the directory in the cache

Exit status: of the suites; 0 if they were skipped; with --prepare 3 if nothing could be prepared.
HELP
}

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/test-machine.sh
. "$here/test-machine.sh"
machine="$here/../test/vm/machine"
cache="$(cache_for vm "$here/test-machine.sh" "$here/host-tests.sh" "$here/vm-test.sh" "$machine"/*)"

main() {
  case "${1:-}" in
    -h | --help) usage ;;
    --prepare) prepare || exit 3 ;;
    *)
      if prepare >/dev/null; then
        cd "$here/.."
        # Every wait in there has its own limit; this one is for what nobody thought of.
        exec timeout --kill-after=30 1800 node_modules/.bin/vitest run --config test/vm/vitest.config.ts "$@"
      fi
      say 'skipped'
      ;;
  esac
}

prepare() {
  [[ $(uname -sm) == 'Linux x86_64' && $(id -u) -eq 0 ]] || { say 'machines need root on Linux with an x86 processor' && return 1; }
  all_there qemu-system-x86_64 || install_packages qemu-system-x86 || return 1
  if [[ -e $cache/ready ]]; then echo "$cache" && return; fi
  local hosts
  hosts="$("$here/host-tests.sh" --prepare)" || return 1
  build_once "$cache" 'making a disk with a kernel of its own (half a minute)' build "$hosts"
}

# build <directory> <the cache of the hosts>
build() { unpack_kernel "$1" && build_tree "$1" "$2" && build_disk "$1"; }

# Only their files: nothing is installed, so nothing wants to change how this machine boots.
unpack_kernel() {
  local debs="$1/debs" kernel deb
  mkdir "$debs"
  kernel="$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')"
  [[ -n $kernel ]] || { apt update; kernel="$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')"; }
  [[ -n $kernel ]] || { echo 'apt knows no linux-image-cloud-amd64' && return 1; }
  (cd "$debs" && timeout 300 apt-get -o Acquire::Retries=1 download "$kernel" busybox-static) || return 1
  for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$debs" || return 1; done
}

# The Debian of the containers, with what it takes to start by itself, as two versions of an OS image.
build_tree() {
  local tree="$1/tree" debs="$1/debs" release version unit
  ostree checkout --repo="$2/sysroot/ostree/repo" --force-copy os/v1 "$tree" || return 1
  release="$(basename "$debs"/boot/vmlinuz-*)" && release="${release#vmlinuz-}"
  rm -rf "$tree"/usr/lib/modules
  mkdir -p "$tree/usr/lib/modules/$release"
  kernel_of "$debs/boot/vmlinuz-$release" >"$tree/usr/lib/modules/$release/vmlinuz" || return 1
  initramfs_of "$1" "$2/root" >"$tree/usr/lib/modules/$release/initramfs.img" || return 1
  for unit in machinist test-shell; do
    cp "$machine/$unit.service" "$tree/usr/lib/systemd/system/"
    ln -s "../$unit.service" "$tree/usr/lib/systemd/system/multi-user.target.wants/"
  done
  # Nothing in here needs them, and every one takes its time.
  for unit in serial-getty@ getty@ modprobe@ systemd-modules-load systemd-random-seed systemd-tmpfiles-setup-dev; do
    ln -sf /dev/null "$tree/usr/etc/systemd/system/$unit.service"
  done
  for unit in dev-hugepages dev-mqueue sys-kernel-debug sys-kernel-tracing sys-kernel-config sys-fs-fuse-connections; do
    ln -sf /dev/null "$tree/usr/etc/systemd/system/$unit.mount"
  done
  ostree --repo="$1/repo" init --mode=bare && ostree --repo="$1/repo" config set core.fsync false || return 1
  for version in 1 2; do
    # Never through a link: the file may be one that a commit has already.
    rm -f "$tree/usr/lib/image-version" "$tree/usr/etc/vendor.conf"
    echo "$version" >"$tree/usr/lib/image-version"
    echo "version $version" >"$tree/usr/etc/vendor.conf"
    ostree --repo="$1/repo" commit --branch="os/v$version" --add-metadata-string=version="$version" --tree=dir="$tree" || return 1
  done
  rm -rf "$tree"
}

# Unpacked, where we know how: an emulated processor takes seconds for it, at every boot.
kernel_of() {
  local image="$1" begin length unpack
  number_at() { od --address-radix=n --format="u$2" --skip-bytes="$1" --read-bytes="$2" "$image" | tr -d ' '; }
  begin=$((($(number_at 0x1f1 1) + 1) * 512 + $(number_at 0x248 4)))
  length=$(number_at 0x24c 4)
  for unpack in lz4 zstd xz gzip; do
    # Its last four bytes say how long the kernel is, and belong to no format.
    head -c $((begin + length - 4)) "$image" | tail -c $((length - 4)) | "$unpack" -dc >"$image.elf" 2>/dev/null || continue
    [[ $(head -c 4 "$image.elf") != $'\x7fELF' ]] || { cat "$image.elf" && return; }
  done
  cat "$image"
}

# A kernel module after those that it needs, which differ from one kernel update to the next. Modules that are part of the kernel have no file.
add_module() {
  local module="$1" debs="$2" modules="$3" file needed
  [[ ! -e "$modules/$module.ko" ]] || return 0
  file="$(find "$debs"/lib/modules "$debs"/usr/lib/modules -name "$module.ko*" 2>/dev/null | head -n 1)"
  case "$file" in
    '') return 0 ;;
    *.xz) xz -dc "$file" >"$modules/$module.ko" ;;
    *.zst) zstd -dcq "$file" >"$modules/$module.ko" ;;
    *) cp "$file" "$modules/$module.ko" ;;
  esac
  for needed in $(tr '\0' '\n' <"$modules/$module.ko" | LC_ALL=C sed -n 's/^depends=//p' | tr ',' ' '); do
    add_module "$needed" "$debs" "$modules"
  done
  echo "$module.ko" >>"$modules/order"
}

# What finds the disk, and ostree's program that makes a root of it, with its libraries.
initramfs_of() {
  local debs="$1/debs" root="$2" tree="$1/initramfs" module file
  mkdir -p "$tree"/{bin,dev,modules,proc,run,sys,sysroot,usr/lib/ostree}
  cp "$machine/init" "$tree/init"
  cp "$debs/bin/busybox" "$tree/bin/"
  for module in crc32c_generic ext4 virtio_pci virtio_blk virtio_net; do
    add_module "$module" "$debs" "$tree/modules"
  done
  cp "$root/usr/lib/ostree/ostree-prepare-root" "$tree/usr/lib/ostree/"
  for file in $(chroot "$root" ldd /usr/lib/ostree/ostree-prepare-root | grep --only-matching '/[^ ]*'); do
    mkdir -p "$tree$(dirname "$file")"
    cp --dereference "$root$file" "$tree$file"
  done
  (cd "$tree" && find . | "$debs/bin/busybox" cpio -o -H newc 2>/dev/null | gzip -1)
}

# A file system with a journal, and an ostree that waits for the disk: what is to survive when the power is cut.
build_disk() {
  local sysroot="$1/sysroot" repo="$1/sysroot/ostree/repo"
  mkdir "$sysroot"
  ostree admin init-fs --modern "$sysroot" && ostree admin os-init --sysroot="$sysroot" debian || return 1
  ostree --repo="$repo" config set sysroot.bootloader none
  ostree --repo="$repo" config set sysroot.readonly false
  ostree --repo="$repo" config set core.fsync false
  ostree --repo="$repo" pull-local "$1/repo" os/v1 os/v2 || return 1
  OSTREE_SYSROOT_DEBUG=mutable-deployments ostree admin deploy --sysroot="$sysroot" --os=debian --karg-append=root=/dev/vda \
    --karg-append=rw --karg-append=console=ttyS0 --karg-append=quiet --karg-append=net.ifnames=0 \
    --karg-append=mitigations=off os/v1 || return 1
  ostree --repo="$repo" config set core.fsync true
  mke2fs -q -F -t ext4 -L root -d "$sysroot" "$1/disk.img" 1G || return 1
  rm -rf "$sysroot" "$1"/{repo,debs,initramfs}
}

main "$@"
