import type { Stats } from 'node:fs'
import { HostFailure } from './host-failure.ts'

export function refuseIrregular(stats: Stats, path: string): void {
  if (stats.isDirectory()) throw new HostFailure(`${path} is a directory`, 'EISDIR')
  refuseOther(stats, path)
}

/** Devices, sockets and pipes are not touched; a link is not what it leads to. */
export function refuseOther(stats: Stats, path: string): void {
  if (stats.isFile() || stats.isDirectory()) return
  if (stats.isSymbolicLink()) throw new HostFailure(`${path} is a symbolic link`, 'ELOOP')
  throw new HostFailure(`${path} is a device, socket or pipe`, 'EINVAL')
}
