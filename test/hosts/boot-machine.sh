#!/usr/bin/env bash
# usage: boot-machine.sh NAME DIRECTORY LOWER NSPAWN-OPTION…
# Boots systemd in new mount and cgroup namespaces, so that the machine below stays unchanged and everything
# ends with this process. LOWER, if not empty, is the lower tree of DIRECTORY/root; changes are written to
# DIRECTORY/changes.
set -euo pipefail
name=$1 directory=$2 lower=$3
shift 3

for groups in /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
  [[ -d $groups ]] && mkdir -p "$groups/$name" && echo $$ >"$groups/$name/cgroup.procs"
done

mount -t tmpfs tmpfs /run
if [[ -n $lower ]]; then
  mkdir -p "$directory"/{changes,work,root}
  mount -t overlay overlay -o "lowerdir=$lower,upperdir=$directory/changes,workdir=$directory/work" "$directory/root"
fi

exec systemd-nspawn --quiet --machine="$name" --boot --register=no --keep-unit \
  --kill-signal=SIGRTMIN+3 --console=pipe "$@"
