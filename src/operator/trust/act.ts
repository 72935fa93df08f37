import { Transient } from '@machinist/core/errors'
import { keyOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ApiFailure, isAlreadyExists, isNotFound, describeRefusal } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { ConfigMapWrite } from './sources/config-map-write.ts'

export interface TrustActOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

export async function writeConfigMap(
  write: ConfigMapWrite,
  { client, signal }: TrustActOptions,
): Promise<void> {
  try {
    if ('create' in write) await client.create(configMaps, write.create, { signal })
    else {
      const { namespace, name } = write.about
      const key = { namespace: namespace!, name: name! }
      await client.patch(configMaps, key, mergePatch(write.patch), { signal })
    }
  } catch (error) {
    // Changed concurrently: a watch event follows.
    const isConcurrent = 'create' in write ? isAlreadyExists(error) : isNotFound(error)
    if (!isConcurrent) throw error
  }
}

/** The name of the written ConfigMap, for messages. */
export function targetOf(write: ConfigMapWrite): string {
  const { namespace, name } = 'create' in write ? keyOf(write.create) : write.about
  return `ConfigMap ${namespace}/${name}`
}

/** Drops the message of the server, which may quote the sent object with its credentials. */
export function toTransient(what: string, error: unknown): unknown {
  if (!(error instanceof ApiFailure)) return error
  return new Transient(error.reason || 'Refused', describeRefusal(what, error))
}
