#!/usr/bin/env bash
# Runs the daemon on virtual machines with their own kernel and disks, under qemu, and cuts their power.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/vm-test.sh [--prepare] [vitest arguments…]

Installs qemu-system-x86 with apt if it is missing, adds Debian's cloud kernel to the small Debian of scripts/host-tests.sh,
builds a disk of it in the cache, ${XDG_CACHE_HOME:-~/.cache}/machinist/vm-<digest>, and runs the suites in test/vm. Requires root
on Debian or a derivative with an x86 processor, but no hardware virtualization. Otherwise, or if a package is not available, it
prints the reason and skips.

  --prepare   only prepare, and print the directory in the cache

Exit status: that of the suites; 0 if they were skipped; 3 if --prepare fails.
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
        # Every wait of the suites has its own timeout; this one is for unexpected hangs.
        exec timeout --kill-after=30 1800 node_modules/.bin/vitest run --config test/vm/vitest.config.ts "$@"
      fi
      say 'skipped'
      ;;
  esac
}

prepare() {
  [[ $(uname -sm) == 'Linux x86_64' && $(id -u) -eq 0 ]] || { say 'virtual machines need root on Linux with an x86 processor' && return 1; }
  all_there qemu-system-x86_64 || install_packages qemu-system-x86 || return 1
  if [[ -e $cache/ready ]]; then echo "$cache" && return; fi
  local hosts
  hosts="$("$here/host-tests.sh" --prepare)" || return 1
  build_once "$cache" 'building a disk with its own kernel (half a minute)' build "$hosts"
}

# build <directory> <cache of host-tests.sh>
build() { unpack_kernel "$1" && build_tree "$1" "$2" && build_disk "$1"; }

# Only their files: installing the packages would change how this machine boots.
unpack_kernel() {
  local debs="$1/debs" kernel deb
  mkdir "$debs"
  kernel="$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')"
  [[ -n $kernel ]] || { apt update; kernel="$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')"; }
  [[ -n $kernel ]] || { echo 'apt knows no linux-image-cloud-amd64' && return 1; }
  (cd "$debs" && timeout 300 apt-get -o Acquire::Retries=1 download "$kernel" busybox-static) || return 1
  for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$debs" || return 1; done
}

# The Debian of the containers, made bootable, as two versions of an OS image.
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
  # Unnecessary units, which slow down the boot.
  for unit in serial-getty@ getty@ modprobe@ systemd-modules-load systemd-random-seed systemd-tmpfiles-setup-dev; do
    ln -sf /dev/null "$tree/usr/etc/systemd/system/$unit.service"
  done
  for unit in dev-hugepages dev-mqueue sys-kernel-debug sys-kernel-tracing sys-kernel-config sys-fs-fuse-connections; do
    ln -sf /dev/null "$tree/usr/etc/systemd/system/$unit.mount"
  done
  ostree --repo="$1/repo" init --mode=bare && ostree --repo="$1/repo" config set core.fsync false || return 1
  for version in 1 2; do
    # Remove the files first: they may be hard links to files of a commit.
    rm -f "$tree/usr/lib/image-version" "$tree/usr/etc/vendor.conf"
    echo "$version" >"$tree/usr/lib/image-version"
    echo "version $version" >"$tree/usr/etc/vendor.conf"
    ostree --repo="$1/repo" commit --branch="os/v$version" --add-metadata-string=version="$version" --tree=dir="$tree" || return 1
  done
  rm -rf "$tree"
}

# Decompressed if the format is known: an emulated processor needs seconds for it at every boot.
kernel_of() {
  local image="$1" begin length unpack
  number_at() { od --address-radix=n --format="u$2" --skip-bytes="$1" --read-bytes="$2" "$image" | tr -d ' '; }
  begin=$((($(number_at 0x1f1 1) + 1) * 512 + $(number_at 0x248 4)))
  length=$(number_at 0x24c 4)
  for unpack in lz4 zstd xz gzip; do
    # The last four bytes contain the length of the kernel and are not part of the compressed data.
    head -c $((begin + length - 4)) "$image" | tail -c $((length - 4)) | "$unpack" -dc >"$image.elf" 2>/dev/null || continue
    [[ $(head -c 4 "$image.elf") != $'\x7fELF' ]] || { cat "$image.elf" && return; }
  done
  cat "$image"
}

# Adds a kernel module after its dependencies, which differ between kernel updates. Built-in modules have no file.
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

# The modules that find the disk, and ostree's program that prepares the root file system, with its libraries.
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

# A file system with a journal, and an ostree with fsync, which must survive a power cut.
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
