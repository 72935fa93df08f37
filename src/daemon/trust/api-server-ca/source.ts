import { configMaps as sources } from '../../../api/names.ts'
import { messageOf } from '@machinist/core/errors'
import { keyText } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'

/** The CAs of the API server, from their ConfigMap. */
export interface SourceAuthorities {
  /** The text of the ConfigMap, if all of it can be parsed. */
  readonly pem: string
  readonly bundle: Bundle
}

const { name, namespace, key } = sources.kubeconfigData

/** The ConfigMap with the CAs. */
export const sourceConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name } as const

/** Reads the CAs; undefined if the ConfigMap does not exist or contains no certificate. */
export async function readSource(
  client: KubeClient,
  signal: AbortSignal,
): Promise<SourceAuthorities | undefined> {
  let found: ConfigMap
  try {
    found = await client.get(configMaps, { name, namespace }, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    const where = keyText(sourceConfigMap)
    throw new Error(`cannot read ConfigMap ${where}: ${messageOf(error)}`, { cause: error })
  }
  const binary = found.binaryData?.[key]
  const text = binary === undefined ? found.data?.[key] : Buffer.from(binary, 'base64').toString()
  const { bundle, problems } = readBundle(text ?? '')
  if (bundle.size === 0) return undefined
  // One invalid certificate does not affect the others.
  const pem = problems.length === 0 ? text! : [...bundle.values()].map((each) => each.pem).join('')
  return { pem, bundle }
}
