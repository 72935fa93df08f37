import * as fs from 'node:fs'
import { constants, type Stats } from 'node:fs'
import * as later from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * The system calls for files. Every disk access of the daemon goes through this interface, so that a test can inject a
 * failure or a kill before and after each call.
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

/**
 * `open` and `close` are synchronous: a walk to a file needs dozens of them, and the thread pool takes fifty times as long as
 * the call. Everything else runs in the thread pool.
 */
export const realDisk: Disk = {
  async open(path, flags, mode) {
    return openFile(fs.openSync(path, flags, mode))
  },
  lstat: (path) => later.lstat(path),
  readlink: (path) => later.readlink(path),
  readdir: (path) => later.readdir(path),
  rename: (from, to) => later.rename(from, to),
  symlink: (target, path) => later.symlink(target, path),
  unlink: (path) => later.unlink(path),
  async mkdir(path, mode) {
    await later.mkdir(path, mode)
  },
  rmdir: (path) => later.rmdir(path),
}

/** Runs `work`, and closes `open` afterwards in any case. */
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

const openFile = (fd: number): OpenFile => ({
  fd,
  async stat() {
    return fs.fstatSync(fd)
  },
  read: (limit) => readUpTo(fd, limit),
  async write(content) {
    for (let written = 0; written < content.length;) {
      const { bytesWritten } = await call.write(fd, content, written)
      written += bytesWritten
    }
  },
  async chmod(mode) {
    fs.fchmodSync(fd, mode)
  },
  async chown(uid, gid) {
    fs.fchownSync(fd, uid, gid)
  },
  sync: () => call.fsync(fd),
  async close() {
    fs.closeSync(fd)
  },
})

const call = {
  read: promisify(fs.read),
  write: promisify(fs.write),
  fsync: promisify(fs.fsync),
}

/** Reads at most one byte more than the limit, so that the caller detects a larger file. */
async function readUpTo(fd: number, limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for (let left = limit + 1; left > 0;) {
    const chunk = Buffer.allocUnsafe(Math.min(left, chunkBytes))
    const { bytesRead } = await call.read(fd, chunk, 0, chunk.length, null)
    if (bytesRead === 0) break
    chunks.push(chunk.subarray(0, bytesRead))
    left -= bytesRead
  }
  return Buffer.concat(chunks)
}

const chunkBytes = 256 * 1024

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_APPEND, O_RDONLY, O_WRONLY } =
  constants

/** Never follow a link in the last part, and never wait for the other end of a pipe. */
export const openFlags = {
  directory: O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  append: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
  create: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
} as const
