import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Disk, OpenFile } from '../../daemon/host/files/disk.ts'
import type { NodeFault } from '../../views/status/node-fault.ts'

/** Extra duration of a write on a slow disk. */
const slowWriteMs = 100

/** A disk that is full or slow while the node has that fault. */
export function faultyDisk(disk: Disk, clock: Clock, faults: () => ReadonlySet<NodeFault>): Disk {
  const beforeGrowth = async (path: string): Promise<void> => {
    if (faults().has('full-disk')) throw noSpace(path)
    if (faults().has('slow')) await sleep(clock, slowWriteMs)
  }
  const fileOf = (file: OpenFile, path: string): OpenFile => ({
    fd: file.fd,
    stat: () => file.stat(),
    read: (limit) => file.read(limit),
    async write(content) {
      await beforeGrowth(path)
      await file.write(content)
    },
    chmod: (mode) => file.chmod(mode),
    chown: (uid, gid) => file.chown(uid, gid),
    sync: () => file.sync(),
    close: () => file.close(),
  })
  return {
    ...disk,
    open: async (path, flags, mode) => fileOf(await disk.open(path, flags, mode), path),
    async symlink(target, path) {
      await beforeGrowth(path)
      await disk.symlink(target, path)
    },
    async mkdir(path, mode) {
      await beforeGrowth(path)
      await disk.mkdir(path, mode)
    },
  }
}

function noSpace(path: string): NodeJS.ErrnoException {
  const error = new Error(`ENOSPC: no space left on device, write '${path}'`)
  return Object.assign(error, { code: 'ENOSPC', errno: -28, syscall: 'write', path })
}
