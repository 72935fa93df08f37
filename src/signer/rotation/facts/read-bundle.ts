import type { ConfigMap } from '@machinist/kube/kinds/core'
import { readBundle } from '@machinist/pki/bundle'
import type { Certificate } from '@machinist/pki/certificate'
import { ownBundleAnnotations } from '../../../api/annotations.ts'
import { certificateMetadataOf } from './certificate-metadata.ts'
import type { BundleFacts } from './facts.ts'
import { authorityOf } from './read-secret.ts'

export const bundleKey = 'ca-bundle.crt'

export interface ReadConfigMap {
  readonly facts: BundleFacts
  readonly certificates: readonly Certificate[]
}

/** With `isSorted`, a tidy bundle must also have the order that the signer writes. */
export function readConfigMap(object: Readonly<ConfigMap>, isSorted: boolean): ReadConfigMap {
  const text = textIn(object)
  const { bundle, problems } = readBundle(text)
  const certificates = [...bundle.values()]
  const [first] = problems
  const problem = first
    ? `line ${first.line}: ${first.message}`
    : certificates.length === 0 && text.trim() !== ''
      ? 'it contains no certificate'
      : undefined
  const tidy = isSorted ? sortedByBytes(certificates) : certificates
  const own = object.metadata.annotations?.[ownBundleAnnotations.ownAuthorities]
  const facts = {
    authorities: certificates.map(authorityOf),
    ...(own && { own: own.split(',') }),
    ...(problem !== undefined && { problem }),
    isTidy: text === bundleText(tidy) && object.binaryData?.[bundleKey] === undefined,
    metadata: certificateMetadataOf(object.metadata),
  }
  return { facts, certificates }
}

export function bundleText(certificates: readonly Certificate[]): string {
  return certificates.map(({ pem }) => pem).join('')
}

/** Sorts by DER bytes, as OpenShift does. */
export function sortedByBytes(certificates: readonly Certificate[]): Certificate[] {
  return certificates.toSorted((a, b) => Buffer.compare(a.x509.raw, b.x509.raw))
}

function textIn({ data, binaryData }: Readonly<ConfigMap>): string {
  const binary: unknown = binaryData?.[bundleKey]
  if (typeof binary === 'string') return Buffer.from(binary, 'base64').toString()
  const text: unknown = data?.[bundleKey]
  return typeof text === 'string' ? text : ''
}
