import type { ObjectMeta } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { CertificateLifetime } from '@machinist/pki/renewal'
import { certificateAnnotations } from '../../../api/annotations.ts'
import { labels } from '../../../api/labels.ts'
import { rotationDefaults } from '../../../fleet/rotation/defaults.ts'
import type { CertificateMetadata } from './facts.ts'

/** Reads the labels and annotations of a managed object. */
export function certificateMetadataOf({
  labels: labelled,
  annotations,
}: Readonly<ObjectMeta>): CertificateMetadata {
  return {
    notAfter: annotations?.[certificateAnnotations.notAfter],
    notBefore: annotations?.[certificateAnnotations.notBefore],
    issuer: annotations?.[certificateAnnotations.issuer],
    hostnames: annotations?.[certificateAnnotations.hostnames],
    hasOwner: Boolean(annotations?.[certificateAnnotations.owningComponent]),
    type: labelled?.[labels.managedCertificateType],
  }
}

/** Whether metadata is missing that can be restored without a new key. Missing validity annotations request a new one instead. */
export function lacksMetadata(
  metadata: CertificateMetadata,
  type: string,
  hostnames?: string,
): boolean {
  return (
    metadata.type !== type || !metadata.hasOwner || (metadata.hostnames ?? '') !== (hostnames ?? '')
  )
}

export interface MetadataChange {
  readonly type: string
  readonly hostnames?: string | undefined
  /** The certificate that is written with it; absent: the validity annotations stay. */
  readonly certificate?: CertificateLifetime & { readonly issuer: string }
}

/** Adds the required labels and annotations; all others stay. */
export function withCertificateMetadata(
  metadata: ObjectMeta,
  { type, hostnames, certificate }: MetadataChange,
): ObjectMeta {
  const { hostnames: names, owningComponent, ...validity } = certificateAnnotations
  const { [names]: _, ...others } = metadata.annotations ?? {}
  return {
    ...metadata,
    labels: { ...metadata.labels, [labels.managedCertificateType]: type },
    annotations: {
      ...others,
      [owningComponent]: others[owningComponent] || rotationDefaults.owningComponent,
      ...(hostnames && { [names]: hostnames }),
      ...(certificate && {
        [validity.notBefore]: timestamp(certificate.notBefore),
        [validity.notAfter]: timestamp(certificate.notAfter),
        [validity.issuer]: certificate.issuer,
      }),
    },
  }
}

/** When the annotations expire. A missing, invalid or past annotation requests a new certificate. */
export function annotatedExpiry(
  { notAfter, notBefore }: CertificateMetadata,
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
