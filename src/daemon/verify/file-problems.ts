import { sha256Hex } from '@machinist/core/digest'
import { messageOf } from '@machinist/core/errors'
import { largestFile } from '../apply/path-state.ts'
import type { HostFiles } from '../host/host.ts'
import type { Expected } from './expected-files.ts'

/** How a file is different from what it should be; digests only, as its content may be a secret. */
export async function fileProblems(
  files: HostFiles,
  path: string,
  expected: Pick<Expected, 'mode' | 'uid' | 'gid' | 'digest'>,
): Promise<string[]> {
  try {
    return await problems(files, path, expected)
  } catch (error) {
    return [`cannot be read: ${messageOf(error)}`]
  }
}

async function problems(
  files: HostFiles,
  path: string,
  expected: Pick<Expected, 'mode' | 'uid' | 'gid' | 'digest'>,
): Promise<string[]> {
  const entry = await files.look(path)
  if (entry === undefined) return ['is not there']
  if (entry.type !== 'file') return [`is ${called[entry.type]}, expected a file`]
  const found: string[] = []
  const { mode, uid, gid } = entry
  if (mode !== expected.mode) {
    found.push(`has mode ${octal(mode)}, expected ${octal(expected.mode)}`)
  }
  if (uid !== expected.uid || gid !== expected.gid) {
    found.push(`belongs to ${uid}:${gid}, expected ${expected.uid}:${expected.gid}`)
  }
  const digest = sha256Hex(await files.read(path, largestFile))
  if (digest !== expected.digest) {
    found.push(`has content sha256:${short(digest)}, expected sha256:${short(expected.digest)}`)
  }
  return found
}

const called = {
  directory: 'a directory',
  symlink: 'a symbolic link',
  other: 'a device, socket or pipe',
} as const

const octal = (mode: number): string => mode.toString(8).padStart(4, '0')

const short = (digest: string): string => digest.slice(0, 12)
