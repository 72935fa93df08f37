import { constants, type Stats } from 'node:fs'
import * as fs from 'node:fs/promises'

/**
 * The system calls that files are made of. Everything the daemon does to a disk goes through here, so that a test can fail
 * or kill it before and after every single one.
 */
export interface Disk {
  open(path: string, flags: number, mode?: number): Promise<OpenFile>
  lstat(path: string): Promise<Stats>
  readlink(path: string): Promise<string>
  readdir(path: string): Promise<string[]>
  rename(from: string, to: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string, mode: number): Promise<void>
  rmdir(path: string): Promise<void>
}

export interface OpenFile {
  readonly fd: number
  stat(): Promise<Stats>
  read(limit: number): Promise<Uint8Array>
  write(content: Uint8Array): Promise<void>
  chmod(mode: number): Promise<void>
  chown(uid: number, gid: number): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

export const realDisk: Disk = {
  async open(path, flags, mode) {
    return openFile(await fs.open(path, flags, mode))
  },
  lstat: (path) => fs.lstat(path),
  readlink: (path) => fs.readlink(path),
  readdir: (path) => fs.readdir(path),
  rename: (from, to) => fs.rename(from, to),
  symlink: (target, path) => fs.symlink(target, path),
  unlink: (path) => fs.unlink(path),
  async mkdir(path, mode) {
    await fs.mkdir(path, mode)
  },
  rmdir: (path) => fs.rmdir(path),
}

/** Works with something open, and closes it whatever happens. */
export async function closing<T>(
  open: { close(): Promise<void> },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } finally {
    await open.close()
  }
}

const openFile = (handle: fs.FileHandle): OpenFile => ({
  fd: handle.fd,
  stat: () => handle.stat(),
  read: (limit) => readUpTo(handle, limit),
  async write(content) {
    for (let written = 0; written < content.length;) {
      const { bytesWritten } = await handle.write(content, written)
      written += bytesWritten
    }
  },
  chmod: (mode) => handle.chmod(mode),
  chown: (uid, gid) => handle.chown(uid, gid),
  sync: () => handle.sync(),
  close: () => handle.close(),
})

/** One byte more than the limit at most, so that the caller can tell that there is more. */
async function readUpTo(handle: fs.FileHandle, limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for (let left = limit + 1; left > 0;) {
    const chunk = Buffer.allocUnsafe(Math.min(left, chunkBytes))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length)
    if (bytesRead === 0) break
    chunks.push(chunk.subarray(0, bytesRead))
    left -= bytesRead
  }
  return Buffer.concat(chunks)
}

const chunkBytes = 256 * 1024

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_APPEND, O_RDONLY, O_WRONLY } =
  constants

/** How files are opened: never through a link at the end, never waiting for a pipe's other side. */
export const openFlags = {
  directory: O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  append: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
  fresh: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
} as const
