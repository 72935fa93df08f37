import { configMaps as sources } from '../../api/names.ts'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'
import { verifyChain } from '@machinist/pki/chain'
import type { KeyPair } from '@machinist/pki/issue'
import { readCurrentPair } from '../../signer/rotation/read-secret.ts'
import { isFor } from '@machinist/apiserver/embedded/server-identity'

export interface GivenQuestion {
  /** By which the server is to be known. */
  readonly published: Bundle
  /** Under which it is reached. */
  readonly host: string
  readonly now: number
}

/** The CAs that are published; undefined: there are none that could be read. */
export function publishedIn(found: Readonly<ConfigMap> | undefined): Bundle | undefined {
  const { bundle } = readBundle(found?.data?.[sources.apiServerCA.key] ?? '')
  return bundle.size > 0 ? bundle : undefined
}

/**
 * Pure: the certificate that the server is given, or why nobody should be shown it: whoever shows one that clients do not trust
 * can no longer be told to show another.
 */
export function servingGiven(
  secret: Readonly<Secret>,
  { published, host, now }: GivenQuestion,
): KeyPair | { readonly problem: string } {
  const read = readCurrentPair(secret)
  if ('problem' in read) return read
  const { certificate: leaf, chain, pair } = read
  if (!isFor(host, leaf)) return { problem: `it is not for ${host}` }
  const question = { at: now, usage: 'server', between: chain } as const
  const verdict = verifyChain(leaf, published.values(), question)
  if ('problem' in verdict) return verdict
  return { certificate: [leaf, ...chain].map(({ pem }) => pem).join(''), key: pair.key }
}
