#!/usr/bin/env bash
# usage: run-daemon-in-image.sh ROOT ACCOUNT PROGRAM…
# Runs a program on a machine as a kubelet would in a privileged pod: with the image's files at ROOT, the machine's root at /rootfs,
# including later mounts, and the service account in the directory ACCOUNT. Requires a mount namespace that follows the
# machine's: unshare --mount --propagation slave.
set -euo pipefail
root=$1 account=$2
shift 2

mount --rbind / "$root/rootfs"
mount --make-rslave "$root/rootfs"
mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/run/secrets/kubernetes.io/serviceaccount"
mount --bind "$account" "$root/run/secrets/kubernetes.io/serviceaccount"
mount --bind /proc "$root/proc"
exec chroot "$root" "$@"
