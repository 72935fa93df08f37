#!/usr/bin/env bash
# usage: run-in-image.sh ROOT USER ACCOUNT PROGRAM…
# Runs a program as a kubelet would in an unprivileged pod: the files at ROOT are read-only, even /tmp, and the service
# account in the directory ACCOUNT is mounted as in a pod. Requires a mount namespace: unshare --mount.
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
