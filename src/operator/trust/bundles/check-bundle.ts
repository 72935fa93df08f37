import type { Bundle } from '@machinist/pki/bundle'
import { withoutExpired } from '@machinist/pki/bundle'
import { trustReasons } from '../facts/reasons.ts'
import { readBytes } from './read-bytes.ts'

/** Why a bundle is invalid. The detail follows the name of the object and key in messages, and never quotes the bundle. */
export interface BundleFault {
  readonly reason: string
  readonly detail: string
}

/** The maximum size of a ConfigMap. */
const largestInput = 1024 * 1024

/**
 * Whether a bundle can be delivered to nodes: it is complete PEM with at least one certificate that has not expired. Expired
 * certificates beside others, duplicates, CRLF and text between blocks are accepted and delivered unchanged.
 */
export function checkBundle(bytes: Uint8Array, now: number): Bundle | BundleFault {
  if (bytes.length > largestInput) {
    return fault('tooLarge', `it has more than ${largestInput} bytes; remove unneeded certificates`)
  }
  if (bytes.every((byte) => whitespace.has(byte))) {
    return fault('empty', 'it is empty; add the certificates as PEM')
  }
  const { bundle, problems } = readBytes(bytes)
  const [first] = problems
  if (first) {
    const more = problems.length > 1 ? `, and ${problems.length - 1} more problems` : ''
    return fault(
      'brokenPem',
      `line ${first.line}: ${first.message}${more}; write the whole file again`,
    )
  }
  if (bundle.size === 0) return fault('notPem', notPem(bytes))
  if (withoutExpired(bundle, now).size === 0) {
    const last = Math.max(...[...bundle.values()].map(({ notAfter }) => notAfter))
    const expiredAt = new Date(last).toISOString()
    return fault('expired', `all certificates have expired, the last at ${expiredAt}; renew them`)
  }
  return bundle
}

export function isFault(checked: Bundle | BundleFault): checked is BundleFault {
  return 'reason' in checked
}

/** When the first certificate that has not expired expires. */
export function nextExpiry(bundle: Bundle, now: number): number | undefined {
  const expiries = [...withoutExpired(bundle, now).values()].map(({ notAfter }) => notAfter)
  return expiries.length > 0 ? Math.min(...expiries) : undefined
}

const whitespace: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))
const derSequence = 0x30

function notPem(bytes: Uint8Array): string {
  return bytes[0] === derSequence && bytes.length > 2 && bytes[1]! >= 0x80
    ? 'it is DER, not PEM; convert it with openssl x509 -inform der'
    : 'it has no certificate in PEM; add the certificates as PEM'
}

function fault(reason: keyof typeof trustReasons, detail: string): BundleFault {
  return { reason: trustReasons[reason], detail }
}
