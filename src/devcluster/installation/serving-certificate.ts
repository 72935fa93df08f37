import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'
import { verifyChain } from '@machinist/pki/chain'
import type { KeyPair } from '@machinist/pki/issue'
import { coversHost } from '@machinist/apiserver/embedded/server-identity'
import { configMaps as sources } from '../../api/names.ts'
import { readCurrentPair } from '../../signer/rotation/facts/read-secret.ts'

export interface ServingRequirements {
  /** CAs by which clients verify the server. */
  readonly published: Bundle
  /** Host name that clients use. */
  readonly host: string
  readonly now: number
}

/** The published CAs; undefined if none can be parsed. */
export function publishedBundle(found: Readonly<ConfigMap> | undefined): Bundle | undefined {
  const { bundle } = readBundle(found?.data?.[sources.apiServerCA.key] ?? '')
  return bundle.size > 0 ? bundle : undefined
}

/**
 * Pure: the serving certificate of a Secret, or why it must not be used: a server with a certificate that clients do not trust
 * could no longer receive a better one.
 */
export function servingCertificateIn(
  secret: Readonly<Secret>,
  { published, host, now }: ServingRequirements,
): KeyPair | { readonly problem: string } {
  const read = readCurrentPair(secret)
  if ('problem' in read) return read
  const { certificate: leaf, chain, pair } = read
  if (!coversHost(host, leaf)) return { problem: `it is not for ${host}` }
  const question = { at: now, usage: 'server', intermediates: chain } as const
  const verdict = verifyChain(leaf, published.values(), question)
  if ('problem' in verdict) return verdict
  return { certificate: [leaf, ...chain].map(({ pem }) => pem).join(''), key: pair.key }
}
