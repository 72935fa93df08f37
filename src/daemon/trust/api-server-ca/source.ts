import { messageOf } from '@machinist/core/errors'
import { keyText } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import { configMaps as sources } from '../../../api/names.ts'
import type { SourceAuthorities } from '../../../fleet/trust/api-server-authorities.ts'
import { apiServerAuthorities } from '../../../fleet/trust/api-server-authorities.ts'

const { name, namespace } = sources.kubeconfigData

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
  return apiServerAuthorities(found)
}
