import type { TrustedCertificate } from '../../api/kinds/node-trust.ts'
import { sha256Hex } from '@machinist/core/digest'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'
import { nameText } from '@machinist/pki/certificate'
import { directoriesAbove, usualDirectory } from '../apply/directories.ts'
import { HostFailure } from '../host/host-failure.ts'
import type { HostFiles } from '../host/host.ts'
import { parentOf } from '../host/paths.ts'
import { Refused } from './item.ts'
import { timestamp } from '@machinist/core/timestamp'

export interface FoundFile {
  /** Absent: there is no regular file, or one that is larger than any that could be wanted. */
  readonly digest?: string
  readonly mode?: number
  readonly certificates: readonly TrustedCertificate[]
}

/** Larger than any object that an API server stores. */
const mostBytes = 4 * 1024 * 1024
/** As many as a ledger holds. */
const mostCertificates = 1000
const usualMode = 0o644

const absent: FoundFile = { certificates: [] }

/** What is at a path now. Certificates are read anew only if the file is not the one that is known. */
export async function lookAtFile(
  files: HostFiles,
  path: string,
  known: FoundFile = absent,
): Promise<FoundFile> {
  const entry = await files.look(path)
  if (entry?.type !== 'file') return absent
  const { mode, size } = entry
  if (size > mostBytes) return { mode, certificates: [] }
  const content = await files.read(path, mostBytes)
  const digest = sha256Hex(content)
  const certificates = digest === known.digest ? known.certificates : certificatesIn(content)
  return { digest, mode, certificates }
}

/** Puts a file there, whole or not at all, and makes sure that it is. Without a mode, the one that is there is kept. */
export async function putFile(
  files: HostFiles,
  path: string,
  content: Uint8Array,
  mode?: number,
): Promise<void> {
  await makeDirectoriesAbove(files, path)
  const entry = await files.look(path)
  const kept = entry?.type === 'file' ? entry.mode : usualMode
  await files.write(path, { content, mode: mode ?? kept, uid: 0, gid: 0 })
  const found = await files.read(path, mostBytes)
  if (sha256Hex(found) === sha256Hex(content)) return
  throw new HostFailure(`${path} is not what was written there a moment ago`, 'EIO')
}

export async function makeDirectoriesAbove(files: HostFiles, path: string): Promise<void> {
  if ((await files.look(parentOf(path))) !== undefined) return
  for (const directory of directoriesAbove(path)) {
    await files.makeDirectory(directory, usualDirectory)
  }
}

/** A bundle that a program could not read would cost it everything it trusts. Says where it is bad, not what is in it. */
export function refuseBadBundle(content: Uint8Array): void {
  const { bundle, problems } = readBundle(Buffer.from(content).toString())
  const [first] = problems
  if (first) throw new Refused(`it is bad at line ${first.line}: ${first.message}`)
  if (bundle.size === 0) throw new Refused('there is no certificate in it')
}

const certificatesIn = (content: Uint8Array): TrustedCertificate[] =>
  trustedCertificates(readBundle(Buffer.from(content).toString()).bundle)

/** As the ledger has them. */
export function trustedCertificates(bundle: Bundle): TrustedCertificate[] {
  return [...bundle.values()].slice(0, mostCertificates).map((each) => ({
    fingerprint: each.fingerprint,
    subject: nameText(each.subject),
    notAfter: timestamp(each.notAfter),
  }))
}
