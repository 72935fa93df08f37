import type { ControllerConfig } from '../../api/resources.ts'
import type { ObjectKey } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import type { Facts } from './decide.ts'
import { pullSecretKey, readPullSecret, unreadablePullSecret } from './pull-secret.ts'
import type { TemplateSet } from './template-set.ts'

export interface GatherOptions {
  readonly client: KubeClient
  readonly templates: TemplateSet
  readonly signal: AbortSignal
}

/** All from the caches but the pull secret, which no cache keeps in memory. */
export async function gather(
  controllerConfig: ControllerConfig,
  { client, templates, signal }: GatherOptions,
): Promise<Facts> {
  const asked = pullSecretKey(controllerConfig.spec.pullSecret)
  const secret = asked && (await secretOrNothing(client, asked, signal))
  const pullSecret =
    secret === 'forbidden' ? unreadablePullSecret(asked!) : readPullSecret(asked, secret)
  return { controllerConfig, pullSecret, templates }
}

async function secretOrNothing(
  client: KubeClient,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Secret | 'forbidden' | undefined> {
  try {
    return await client.get(secrets, key, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isForbidden(error)) return 'forbidden'
    throw error
  }
}
