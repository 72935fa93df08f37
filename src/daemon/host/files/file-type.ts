import type { Stats } from 'node:fs'
import { HostFailure } from '../host-failure.ts'

export function requireRegularFile(stats: Stats, path: string): void {
  if (stats.isDirectory()) throw new HostFailure(`${path} is a directory`, 'EISDIR')
  requireFileOrDirectory(stats, path)
}

/** Rejects devices, sockets, pipes and links. */
export function requireFileOrDirectory(stats: Stats, path: string): void {
  if (stats.isFile() || stats.isDirectory()) return
  if (stats.isSymbolicLink()) throw new HostFailure(`${path} is a symbolic link`, 'ELOOP')
  throw new HostFailure(`${path} is a device, socket or pipe`, 'EINVAL')
}
