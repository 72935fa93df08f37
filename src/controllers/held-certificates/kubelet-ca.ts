import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import { inlineContent } from '@machinist/ignition/content'
import { readBundle, sameBundle } from '@machinist/pki/bundle'
import { nodePaths } from '../../api/node-paths.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { isKubeletSigner } from '../../api/trust/signer-family.ts'

/** Until when nodes with a config trust the API server. */
export interface KubeletTrust {
  /** Milliseconds since the epoch; undefined if there is no certificate at all. */
  readonly until: number | undefined
  /** Whether it is the expiry of a signer with a name of OpenShift; otherwise of the last certificate. */
  readonly isSigner: boolean
}

/** The kubelet's client CA file in a config; undefined if there is none. */
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

/** Ignores the order and the encoding of certificates. */
export function isSameTrust(a: string, b: string): boolean {
  if (a === b) return true
  const [one, other] = [readBundle(a), readBundle(b)]
  const isValid = one.problems.length === 0 && other.problems.length === 0
  return isValid && sameBundle(one.bundle, other.bundle)
}

/** The signer that expires last counts: as long as one is valid, it can sign the client certificate of the API server. */
export function trustedUntil(text: string): KubeletTrust {
  const all = [...readBundle(text).bundle.values()]
  const signers = all.filter(({ commonName = '' }) => isKubeletSigner(commonName))
  const isSigner = signers.length > 0
  const ends = (isSigner ? signers : all).map(({ notAfter }) => notAfter)
  return { until: ends.length > 0 ? Math.max(...ends) : undefined, isSigner }
}
