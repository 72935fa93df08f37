import { Transient } from '@machinist/core/errors'
import { keyOf } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { ApiFailure, isAlreadyExists, isNotFound, refusalInWords } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { ConfigMapWrite } from './config-map-write.ts'

export interface ActOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

export async function writeConfigMap(
  write: ConfigMapWrite,
  { client, signal }: ActOptions,
): Promise<void> {
  try {
    if ('create' in write) await client.create(configMaps, write.create, { signal })
    else {
      const { namespace, name } = write.about
      const key = { namespace: namespace!, name: name! }
      await client.patch(configMaps, key, mergePatch(write.patch), { signal })
    }
  } catch (error) {
    // Somebody was faster than the cache. When it hears of it, we look again.
    const isOvertaken = 'create' in write ? isAlreadyExists(error) : isNotFound(error)
    if (!isOvertaken) throw error
  }
}

/** How messages name what is written. */
export function targetOf(write: ConfigMapWrite): string {
  const { namespace, name } = 'create' in write ? keyOf(write.create) : write.about
  return `ConfigMap ${namespace}/${name}`
}

/** The server's own words may quote what was sent, and there are credentials in it. */
export function withoutQuotes(what: string, error: unknown): unknown {
  if (!(error instanceof ApiFailure)) return error
  return new Transient(error.reason || 'Refused', refusalInWords(what, error))
}
