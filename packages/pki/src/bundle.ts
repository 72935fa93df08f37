import { InvalidInput } from '@machinist/core/errors'
import { readPem } from '@machinist/core/pem'
import type { Certificate } from './certificate.ts'
import { isValidAt, readCertificate } from './certificate.ts'

/** A set of certificates: order, repetition and white space are no part of it. The key is the fingerprint. */
export type Bundle = ReadonlyMap<string, Certificate>

export interface BundleProblem {
  /** Where the block begins, counted from 1. */
  readonly line: number
  readonly message: string
}

export interface BundleReading {
  readonly bundle: Bundle
  readonly problems: readonly BundleProblem[]
}

/** Reads a PEM text. What is broken is reported with its line; the other certificates still count. */
export function readBundle(text: string): BundleReading {
  const { blocks, problems } = readPem(text)
  const found: Certificate[] = []
  const broken: BundleProblem[] = problems.map(({ line, message }) => ({ line, message }))
  for (const { label, der, line } of blocks) {
    if (label !== 'CERTIFICATE') {
      broken.push({ line, message: `PEM block "${label}" is no certificate` })
      continue
    }
    const read = readOrProblem(der)
    if (typeof read === 'string') broken.push({ line, message: `PEM block "${label}": ${read}` })
    else found.push(read)
  }
  return { bundle: bundleOf(found), problems: broken.sort((a, b) => a.line - b.line) }
}

export function bundleOf(certificates: Iterable<Certificate>): Bundle {
  return new Map([...certificates].map((each) => [each.fingerprint, each]))
}

export function union(...bundles: readonly Bundle[]): Bundle {
  return new Map(bundles.flatMap((bundle) => Array.from(bundle)))
}

/** What `bundle` has and `other` has not. */
export function difference(bundle: Bundle, other: Bundle): Bundle {
  return bundleOf([...bundle.values()].filter(({ fingerprint }) => !other.has(fingerprint)))
}

export function sameBundle(a: Bundle, b: Bundle): boolean {
  return a.size === b.size && [...a.keys()].every((fingerprint) => b.has(fingerprint))
}

/** Without those whose time is over; those whose time is yet to come stay. */
export function withoutExpired(bundle: Bundle, at: number): Bundle {
  return bundleOf([...bundle.values()].filter(({ notAfter }) => at <= notAfter))
}

/** Those that count at this time. */
export function validAt(bundle: Bundle, at: number): Bundle {
  return bundleOf([...bundle.values()].filter((each) => isValidAt(each, at)))
}

/** When the first of them ends; undefined for an empty bundle. */
export function earliestNotAfter(bundle: Bundle): number | undefined {
  return bundle.size === 0
    ? undefined
    : Math.min(...[...bundle.values()].map(({ notAfter }) => notAfter))
}

/** Equal bundles give equal texts. */
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
