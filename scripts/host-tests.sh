#!/usr/bin/env bash
# Runs the suites of the Linux host driver against a real systemd and a real ostree, in containers.
set -euo pipefail

usage() {
  cat <<'HELP'
usage: scripts/host-tests.sh [--prepare] [vitest arguments…]

Installs missing packages (systemd-container, ostree, mmdebstrap) with apt, builds a small Debian with systemd and an
ostree of it into the cache, ${XDG_CACHE_HOME:-~/.cache}/machinist/hosts-<digest>, and runs the suites in test/hosts.
Requires root on Debian or a derivative. Otherwise, or if a package is not available, it prints the reason and skips.

  --prepare   only prepare, and print the directory in the cache

Exit status: that of the suites; 0 if they were skipped; 3 if --prepare fails.
HELP
}

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=scripts/test-machine.sh
. "$here/test-machine.sh"
cache="$(cache_for hosts "$here/test-machine.sh" "$here/host-tests.sh")"

main() {
  case "${1:-}" in
    -h | --help) usage ;;
    --prepare) prepare || exit 3 ;;
    *)
      if prepare >/dev/null && containers_work; then
        cd "$here/.."
        exec node_modules/.bin/vitest run --config test/hosts/vitest.config.ts "$@"
      fi
      say 'skipped'
      ;;
  esac
}

prepare() {
  [[ $(uname -s) == Linux && $(id -u) -eq 0 ]] || { say 'systemd containers need root on Linux' && return 1; }
  unshare --mount true 2>/dev/null || { say 'this machine does not allow mount namespaces' && return 1; }
  all_there systemd-nspawn ostree mmdebstrap || install_packages systemd-container ostree mmdebstrap || return 1
  if [[ -e $cache/ready ]]; then echo "$cache" && return; fi
  build_once "$cache" 'building a small Debian and an ostree of it (a minute)' build
}

# Some machines have the program and the permission, but cannot start a container.
containers_work() {
  unshare --mount --propagation private timeout 60 bash -c '
    mount -t tmpfs tmpfs /run && systemd-nspawn --quiet --directory "$1" --register=no --keep-unit \
      --private-network /bin/true' - "$cache/root" </dev/null >"$log" 2>&1 && return
  say "cannot start a container: $(tail -n 1 "$log")" && return 1
}

build() { build_root "$1" && build_ostree "$1"; }

# A root file system with the packages that Node and a node need.
build_root() {
  local root="$1/root" debs="$1/debs" sources=()
  for list in /etc/apt/sources.list.d/{debian,ubuntu}.sources /etc/apt/sources.list; do
    [[ ${#sources[@]} -gt 0 || ! -s $list ]] || sources=("$list")
  done
  timeout 600 mmdebstrap --mode=root --variant=essential \
    --include=systemd-sysv,dbus,libstdc++6,libatomic1,passwd,ostree \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" "${sources[@]}" || return 1
  # Only its files: installing the package would build an initramfs.
  mkdir "$debs"
  (cd "$debs" && timeout 120 apt-get download ostree-boot && dpkg-deb -x ostree-boot_*.deb .) || return 1
  cp -a "$debs"/usr/lib/ostree "$debs"/usr/lib/tmpfiles.d "$root/usr/lib/"
  cp -a "$debs"/lib/systemd "$root/usr/lib/"
  rm -rf "$debs"
  # Half of the files, which the tests do not need.
  rm -rf "$root"/usr/share/{doc,info,locale,man,perl,perl5} "$root"/usr/lib/*/{gconv,perl,perl-base,perl5} \
    "$root"/var/{cache,lib/apt/lists,lib/dpkg/info}/*
  settle_root "$root"
}

# Boots fast, logs little, and enables no unnecessary units.
settle_root() {
  local root="$1" unit
  for unit in systemd-timesyncd systemd-networkd systemd-resolved systemd-pstore systemd-logind console-getty \
    systemd-update-utmp systemd-update-utmp-runlevel systemd-sysusers systemd-machine-id-commit ldconfig; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit.service"
  done
  rm -rf "$root"/etc/systemd/system/{timers,getty}.target.wants
  systemctl --root="$root" set-default multi-user.target
  mkdir -p "$root"/etc/systemd/{system.conf.d,journald.conf.d,system-preset}
  echo 'disable *' >"$root/etc/systemd/system-preset/99-default.preset"
  # Otherwise ostree makes its deployments immutable, and they cannot be removed afterwards.
  printf '[Manager]\nDefaultEnvironment=OSTREE_SYSROOT_DEBUG=mutable-deployments\nDefaultTimeoutStopSec=10s\n' \
    >"$root/etc/systemd/system.conf.d/test.conf"
  printf '[Journal]\nStorage=persistent\n' >"$root/etc/systemd/journald.conf.d/test.conf"
  echo machine >"$root/etc/hostname"
  echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
  mkdir -p "$root/opt/machinist"
  useradd --root "$root" --create-home --user-group core
}

# Two versions of this Debian as commits, and a sysroot with a deployment of the first one.
build_ostree() {
  local tree="$1/tree" repo="$1/repo" sysroot="$1/sysroot" version link
  cp -a "$1/root" "$tree"
  (
    cd "$tree"
    rm -rf home root srv mnt media tmp dev/* run/* boot/* var
    mkdir -p sysroot var
    for link in home:var/home root:var/roothome srv:var/srv mnt:var/mnt media:run/media tmp:sysroot/tmp ostree:sysroot/ostree; do
      ln -s "${link#*:}" "${link%%:*}"
    done
    printf 'd /var/%s 0755 root root -\n' home opt lib log tmp srv mnt >usr/lib/tmpfiles.d/ostree-var.conf
    mkdir -p usr/lib/modules/6.0.0
    echo kernel >usr/lib/modules/6.0.0/vmlinuz
    echo initramfs >usr/lib/modules/6.0.0/initramfs.img
    rm -f etc/machine-id
    : >etc/machine-id
    mv etc usr/etc
  ) || return 1
  ostree --repo="$repo" init --mode=bare || return 1
  for version in 1 2; do
    echo "$version" >"$tree/usr/lib/image-version"
    echo "version $version" >"$tree/usr/etc/vendor.conf"
    ostree --repo="$repo" commit --branch="os/v$version" --add-metadata-string=version="$version" --tree=dir="$tree" || return 1
  done
  rm -rf "$tree"
  mkdir "$sysroot"
  ostree admin init-fs --modern "$sysroot" && ostree admin os-init --sysroot="$sysroot" debian || return 1
  ostree --repo="$sysroot/ostree/repo" config set sysroot.bootloader none
  ostree --repo="$sysroot/ostree/repo" config set sysroot.readonly false
  ostree --repo="$sysroot/ostree/repo" config set core.fsync false
  ostree --repo="$sysroot/ostree/repo" pull-local "$repo" os/v1 os/v2 || return 1
  rm -rf "$repo"
  OSTREE_SYSROOT_DEBUG=mutable-deployments ostree admin deploy --sysroot="$sysroot" --os=debian \
    --karg-append=root=LABEL=root --karg-append=rw --karg-append=console=tty0 --karg-append=console=ttyS0 os/v1
}

main "$@"
