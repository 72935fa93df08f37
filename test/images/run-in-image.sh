#!/usr/bin/env bash
# usage: run-in-image.sh ROOT USER ACCOUNT PROGRAM…
# Runs a program as a kubelet would in a pod without rights: the files at ROOT cannot be written, not even /tmp, the service
# account in the directory ACCOUNT is where pods have it. Wants mounts of its own: unshare --mount.
set -euo pipefail
root=$1 user=$2 account=$3
shift 3

mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/run/secrets/kubernetes.io/serviceaccount"
mount --bind "$account" "$root/run/secrets/kubernetes.io/serviceaccount"
mount --rbind /proc "$root/proc"
exec setpriv --no-new-privs --bounding-set=-all,+setuid,+setgid,+sys_chroot \
  chroot --userspec="$user" --groups= "$root" "$@"
