import { sha256Hex } from '@machinist/core/encoding/digest'
import { messageOf } from '@machinist/core/errors'
import type { HostFiles } from '../host/host.ts'
import type { ExpectedFile } from './expected-files.ts'

/** Far more than a config can hold, and little enough for memory. */
export const maxFileBytes = 256 * 1024 * 1024

/** The differences between a file and its expected state. Contents may be secrets, so only digests are shown. */
export async function compareFile(
  files: HostFiles,
  path: string,
  expected: Pick<ExpectedFile, 'mode' | 'uid' | 'gid' | 'digest'>,
): Promise<string[]> {
  try {
    return await compareEntry(files, path, expected)
  } catch (error) {
    return [`cannot be read: ${messageOf(error)}`]
  }
}

async function compareEntry(
  files: HostFiles,
  path: string,
  expected: Pick<ExpectedFile, 'mode' | 'uid' | 'gid' | 'digest'>,
): Promise<string[]> {
  const entry = await files.stat(path)
  if (entry === undefined) return ['does not exist']
  if (entry.type !== 'file') return [`is ${typeNames[entry.type]}, expected a file`]
  const found: string[] = []
  const { mode, uid, gid } = entry
  if (mode !== expected.mode) {
    found.push(`has mode ${octal(mode)}, expected ${octal(expected.mode)}`)
  }
  if (uid !== expected.uid || gid !== expected.gid) {
    found.push(`belongs to ${uid}:${gid}, expected ${expected.uid}:${expected.gid}`)
  }
  const digest = sha256Hex(await files.read(path, maxFileBytes))
  if (digest !== expected.digest) {
    found.push(`has content sha256:${short(digest)}, expected sha256:${short(expected.digest)}`)
  }
  return found
}

const typeNames = {
  directory: 'a directory',
  symlink: 'a symbolic link',
  other: 'a device, socket or pipe',
} as const

const octal = (mode: number): string => mode.toString(8).padStart(4, '0')

const short = (digest: string): string => digest.slice(0, 12)
