import { sha256Hex } from '@machinist/core/encoding/digest'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'
import { nameText } from '@machinist/pki/certificate'
import { timestamp } from '@machinist/core/timestamp'
import type { TrustedCertificate } from '../../../api/kinds/node-trust.ts'
import { bundleProblem } from '../../../fleet/trust/bundle-problem.ts'
import { directoriesAbove, defaultDirectory } from '../../apply/machine/directories.ts'
import { HostFailure } from '../../host/host-failure.ts'
import type { HostFiles } from '../../host/host.ts'
import { parentOf } from '../../host/paths.ts'
import { RefusedInput } from './item.ts'

export interface ObservedFile {
  /** Absent: there is no regular file, or it is larger than any desired content. */
  readonly digest?: string
  readonly mode?: number
  readonly certificates: readonly TrustedCertificate[]
}

/** Larger than any object in the API. */
const mostBytes = 4 * 1024 * 1024
/** The limit of NodeTrust. */
const mostCertificates = 1000
const usualMode = 0o644

const absent: ObservedFile = { certificates: [] }

/** Reads a file. Certificates are parsed only if the digest differs from `known`. */
export async function observeFile(
  files: HostFiles,
  path: string,
  known: ObservedFile = absent,
): Promise<ObservedFile> {
  const entry = await files.stat(path)
  if (entry?.type !== 'file') return absent
  const { mode, size } = entry
  if (size > mostBytes) return { mode, certificates: [] }
  const content = await files.read(path, mostBytes)
  const digest = sha256Hex(content)
  const certificates = digest === known.digest ? known.certificates : certificatesIn(content)
  return { digest, mode, certificates }
}

/** Writes a file atomically and reads it back. Without a mode, the current mode is kept. */
export async function writeVerified(
  files: HostFiles,
  path: string,
  content: Uint8Array,
  mode?: number,
): Promise<void> {
  await makeDirectoriesAbove(files, path)
  const entry = await files.stat(path)
  const kept = entry?.type === 'file' ? entry.mode : usualMode
  await files.write(path, { content, mode: mode ?? kept, uid: 0, gid: 0 })
  const found = await files.read(path, mostBytes)
  if (sha256Hex(found) === sha256Hex(content)) return
  throw new HostFailure(`${path} differs from the content that was just written`, 'EIO')
}

export async function makeDirectoriesAbove(files: HostFiles, path: string): Promise<void> {
  if ((await files.stat(parentOf(path))) !== undefined) return
  for (const directory of directoriesAbove(path)) {
    await files.makeDirectory(directory, defaultDirectory)
  }
}

/** Throws for a bundle that a program may fail to read: it would trust no CA at all. The message names the line, not the content. */
export function refuseBadBundle(content: Uint8Array): void {
  const problem = bundleProblem(content)
  if (problem !== undefined) throw new RefusedInput(problem)
}

const certificatesIn = (content: Uint8Array): TrustedCertificate[] =>
  trustedCertificates(readBundle(Buffer.from(content).toString()).bundle)

/** Certificates as NodeTrust reports them. */
export function trustedCertificates(bundle: Bundle): TrustedCertificate[] {
  return [...bundle.values()].slice(0, mostCertificates).map((each) => ({
    fingerprint: each.fingerprint,
    subject: nameText(each.subject),
    notAfter: timestamp(each.notAfter),
  }))
}
