import { certificateAnnotations } from '../../api/annotations.ts'
import { labels } from '../../api/labels.ts'
import type { ObjectMeta } from '@machinist/core/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Lifetime } from '@machinist/pki/renewal'
import { defaults } from '../../fleet/rotation/defaults.ts'
import type { Dress } from './facts.ts'

/** What an object of ours says about itself in its labels and annotations. */
export function dressOf({ labels: labelled, annotations }: Readonly<ObjectMeta>): Dress {
  return {
    notAfter: annotations?.[certificateAnnotations.notAfter],
    notBefore: annotations?.[certificateAnnotations.notBefore],
    issuer: annotations?.[certificateAnnotations.issuer],
    hostnames: annotations?.[certificateAnnotations.hostnames],
    hasOwner: Boolean(annotations?.[certificateAnnotations.owningComponent]),
    type: labelled?.[labels.managedCertificateType],
  }
}

/** Whether something is missing that is put back without a new key. What asks for a new one by its absence is not. */
export function isUndressed(dress: Dress, type: string, hostnames?: string): boolean {
  return dress.type !== type || !dress.hasOwner || (dress.hostnames ?? '') !== (hostnames ?? '')
}

export interface Worn {
  readonly type: string
  readonly hostnames?: string | undefined
  /** Of the certificate that is written with it; what is there stays otherwise. */
  readonly certificate?: Lifetime & { readonly issuer: string }
}

/** The metadata with all that has to be there; whatever else is there stays. */
export function dressed(metadata: ObjectMeta, { type, hostnames, certificate }: Worn): ObjectMeta {
  const { hostnames: names, owningComponent, ...validity } = certificateAnnotations
  const { [names]: _, ...others } = metadata.annotations ?? {}
  return {
    ...metadata,
    labels: { ...metadata.labels, [labels.managedCertificateType]: type },
    annotations: {
      ...others,
      [owningComponent]: others[owningComponent] || defaults.owningComponent,
      ...(hostnames && { [names]: hostnames }),
      ...(certificate && {
        [validity.notBefore]: timestamp(certificate.notBefore),
        [validity.notAfter]: timestamp(certificate.notAfter),
        [validity.issuer]: certificate.issuer,
      }),
    },
  }
}

/** What the annotations say about a certificate's time: removing one of them, or one that is past, asks for a new one. */
export function annotatedEnd(
  { notAfter, notBefore }: Dress,
  now: number,
): { readonly why: string } | { readonly at: number } {
  if (!notAfter) return { why: 'missing notAfter' }
  const end = readTime(notAfter)
  if (end === undefined) return { why: 'bad expiry: notAfter is not a time' }
  if (!notBefore) return { why: 'missing notBefore' }
  if (readTime(notBefore) === undefined) return { why: 'bad expiry: notBefore is not a time' }
  return now > end ? { why: 'already expired' } : { at: end + 1 }
}

/** RFC 3339; undefined for anything else. */
function readTime(text: string): number | undefined {
  const ms = rfc3339.test(text) ? Date.parse(text) : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
