import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { isKubeletSigner } from '../../api/trust/signer-family.ts'
import { lenientUtf8 } from '@machinist/core/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import { inlineContent } from '@machinist/ignition/content'
import { readBundle, sameBundle } from '@machinist/pki/bundle'

/** Until when nodes in a configuration know the API server. */
export interface KubeletTrust {
  /** Milliseconds since the epoch; undefined if there is no certificate at all. */
  readonly until: number | undefined
  /** Whether that is the end of a signer as OpenShift names them; elsewhere it is that of the last certificate. */
  readonly isSigner: boolean
}

/** The file with the CAs of those whom a kubelet trusts as callers; undefined if the configuration has none. */
export function kubeletCAIn({ spec }: Readonly<MachineConfig>): string | undefined {
  const config: unknown = spec?.config
  const storage = isObject(config) ? config['storage'] : undefined
  const files = isObject(storage) && Array.isArray(storage['files']) ? storage['files'] : []
  const file: unknown = files.find((each) => isObject(each) && each['path'] === nodePaths.kubeletCA)
  if (!isObject(file)) return undefined
  const contents = isObject(file['contents']) ? file['contents'] : {}
  try {
    return lenientUtf8(inlineContent(contents))
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

/** In another order, or written in another way, they are the same. */
export function isSameTrust(a: string, b: string): boolean {
  if (a === b) return true
  const [one, other] = [readBundle(a), readBundle(b)]
  const isAllRead = one.problems.length === 0 && other.problems.length === 0
  return isAllRead && sameBundle(one.bundle, other.bundle)
}

/** The longest-lived signer counts: as long as one is good, the API server can be signed by it. */
export function trustedUntil(text: string): KubeletTrust {
  const all = [...readBundle(text).bundle.values()]
  const ours = all.filter(({ commonName = '' }) => isKubeletSigner(commonName))
  const isOurs = ours.length > 0
  const ends = (isOurs ? ours : all).map(({ notAfter }) => notAfter)
  return { until: ends.length > 0 ? Math.max(...ends) : undefined, isSigner: isOurs }
}
