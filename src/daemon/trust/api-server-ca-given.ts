import { configMaps as sources } from '../../api/names.ts'
import { messageOf } from '@machinist/core/errors'
import { keyText } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import { readBundle } from '@machinist/pki/bundle'

/** CAs by which the API server is to be known. */
export interface GivenCAs {
  /** As they are given, if all of it can be read. */
  readonly pem: string
  readonly bundle: Bundle
}

const { name, namespace, key } = sources.kubeconfigData

/** Where the cluster keeps them. */
export const givenIn = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name } as const

/** What the cluster gives now; undefined if there is no certificate in it, or nothing at all. */
export async function givenCAs(
  client: KubeClient,
  signal: AbortSignal,
): Promise<GivenCAs | undefined> {
  let found: ConfigMap
  try {
    found = await client.get(configMaps, { name, namespace }, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    const where = keyText(givenIn)
    throw new Error(`cannot read ConfigMap ${where}: ${messageOf(error)}`, { cause: error })
  }
  const binary = found.binaryData?.[key]
  const text = binary === undefined ? found.data?.[key] : Buffer.from(binary, 'base64').toString()
  const { bundle, problems } = readBundle(text ?? '')
  if (bundle.size === 0) return undefined
  // One bad certificate takes nothing away from the others.
  const pem = problems.length === 0 ? text! : [...bundle.values()].map((each) => each.pem).join('')
  return { pem, bundle }
}
