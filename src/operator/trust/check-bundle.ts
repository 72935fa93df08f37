import type { Bundle } from '@machinist/pki/bundle'
import { withoutExpired } from '@machinist/pki/bundle'
import { readBytes } from './read-bytes.ts'
import { trustReasons } from './reasons.ts'

/** What is wrong with a bundle, in words that fit behind the name of its place. Never quotes it. */
export interface Fault {
  readonly reason: string
  readonly what: string
}

/** What a ConfigMap can hold. */
const largestInput = 1024 * 1024

/**
 * Whether nodes may be given this: it is PEM, whole, and something in it is still valid. Certificates that have expired
 * beside others do no harm, nor do repetition, CRLF and text between blocks: all of it is passed on as it is.
 */
export function checkBundle(bytes: Uint8Array, now: number): Bundle | Fault {
  if (bytes.length > largestInput) {
    return fault('tooLarge', `has more than ${largestInput} bytes: leave out what is not needed`)
  }
  if (bytes.every((byte) => blanks.has(byte))) {
    return fault('empty', 'is empty: put the certificates there as PEM')
  }
  const { bundle, problems } = readBytes(bytes)
  const [first] = problems
  if (first) {
    const more = problems.length > 1 ? `, and ${problems.length - 1} more like it` : ''
    const advice = 'put the whole file there again'
    return fault('brokenPem', `line ${first.line}: ${first.message}${more}: ${advice}`)
  }
  if (bundle.size === 0) return fault('notPem', notPem(bytes))
  if (withoutExpired(bundle, now).size === 0) {
    const last = Math.max(...[...bundle.values()].map(({ notAfter }) => notAfter))
    const ended = new Date(last).toISOString()
    return fault('expired', `every certificate has expired, the last at ${ended}: renew them`)
  }
  return bundle
}

export function isFault(checked: Bundle | Fault): checked is Fault {
  return 'reason' in checked
}

/** When the first certificate that still counts ends. */
export function nextExpiry(bundle: Bundle, now: number): number | undefined {
  const ends = [...withoutExpired(bundle, now).values()].map(({ notAfter }) => notAfter)
  return ends.length > 0 ? Math.min(...ends) : undefined
}

const blanks: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))
const derSequence = 0x30

function notPem(bytes: Uint8Array): string {
  return bytes[0] === derSequence && bytes.length > 2 && bytes[1]! >= 0x80
    ? 'is DER rather than PEM: convert it with openssl x509 -inform der'
    : 'holds no certificate in PEM: put the certificates there as PEM'
}

function fault(reason: keyof typeof trustReasons, what: string): Fault {
  return { reason: trustReasons[reason], what }
}
