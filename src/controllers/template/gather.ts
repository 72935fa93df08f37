import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { ObjectKey } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import type { TemplateFacts } from './decide.ts'
import { pullSecretKey, readPullSecret, unreadablePullSecret } from './pull-secret.ts'
import type { TemplateSet } from './template-set.ts'

export interface TemplateGatherOptions {
  readonly client: KubeClient
  readonly templates: TemplateSet
  readonly signal: AbortSignal
}

/** Reads the pull secret from the API server, because no cache keeps it in memory. */
export async function gather(
  controllerConfig: ControllerConfig,
  { client, templates, signal }: TemplateGatherOptions,
): Promise<TemplateFacts> {
  const key = pullSecretKey(controllerConfig.spec.pullSecret)
  const secret = key && (await readSecret(client, key, signal))
  const pullSecret =
    secret === 'forbidden' ? unreadablePullSecret(key!) : readPullSecret(key, secret)
  return { controllerConfig, pullSecret, templates }
}

async function readSecret(
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
