import { InvalidInput } from '@machinist/core/errors'
import { readPem } from '@machinist/core/encoding/pem'
import type { Certificate } from './certificate.ts'
import { isValidAt, readCertificate } from './certificate.ts'

/** A set of certificates by fingerprint. Order, duplicates and formatting are ignored. */
export type Bundle = ReadonlyMap<string, Certificate>

export interface BundleProblem {
  /** Line number of the BEGIN line, from 1. */
  readonly line: number
  readonly message: string
}

export interface BundleReading {
  readonly bundle: Bundle
  readonly problems: readonly BundleProblem[]
}

/** Parses a PEM text. Invalid blocks are reported with their line; all other certificates are returned. */
export function readBundle(text: string): BundleReading {
  const { blocks, problems } = readPem(text)
  const found: Certificate[] = []
  const invalid: BundleProblem[] = problems.map(({ line, message }) => ({ line, message }))
  for (const { label, der, line } of blocks) {
    if (label !== 'CERTIFICATE') {
      invalid.push({ line, message: `PEM block "${label}" is not a certificate` })
      continue
    }
    const read = readOrProblem(der)
    if (typeof read === 'string') invalid.push({ line, message: `PEM block "${label}": ${read}` })
    else found.push(read)
  }
  return { bundle: bundleOf(found), problems: invalid.sort((a, b) => a.line - b.line) }
}

export function bundleOf(certificates: Iterable<Certificate>): Bundle {
  return new Map([...certificates].map((each) => [each.fingerprint, each]))
}

export function union(...bundles: readonly Bundle[]): Bundle {
  return new Map(bundles.flatMap((bundle) => Array.from(bundle)))
}

/** The certificates of `bundle` that are not in `other`. */
export function difference(bundle: Bundle, other: Bundle): Bundle {
  return bundleOf([...bundle.values()].filter(({ fingerprint }) => !other.has(fingerprint)))
}

export function sameBundle(a: Bundle, b: Bundle): boolean {
  return a.size === b.size && [...a.keys()].every((fingerprint) => b.has(fingerprint))
}

/** The bundle without expired certificates. Certificates that are not valid yet are kept. */
export function withoutExpired(bundle: Bundle, at: number): Bundle {
  return bundleOf([...bundle.values()].filter(({ notAfter }) => at <= notAfter))
}

/** The certificates that are valid at this time. */
export function validAt(bundle: Bundle, at: number): Bundle {
  return bundleOf([...bundle.values()].filter((each) => isValidAt(each, at)))
}

/** When the first certificate expires; undefined for an empty bundle. */
export function earliestNotAfter(bundle: Bundle): number | undefined {
  return bundle.size === 0
    ? undefined
    : Math.min(...[...bundle.values()].map(({ notAfter }) => notAfter))
}

/** The bundle as PEM, sorted by fingerprint: equal bundles give equal texts. */
export function bundlePem(bundle: Bundle): string {
  return [...bundle.keys()]
    .sort()
    .map((fingerprint) => bundle.get(fingerprint)!.pem)
    .join('')
}

function readOrProblem(der: Uint8Array): Certificate | string {
  try {
    return readCertificate(der)
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}
