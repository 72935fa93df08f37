import type { ObjectKey } from '@machinist/core/objects/resource'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets } from '@machinist/kube/kinds/core'
import { otherMakerOf } from '../../api/maker.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import type { TemplateFacts } from './facts.ts'
import type { TemplateCaches } from './inputs.ts'
import { pullSecretKey, readPullSecret, unreadablePullSecret } from './pull-secret.ts'

export interface TemplateSources extends Pick<TemplateFacts, 'maker' | 'templates'> {
  readonly caches: Pick<TemplateCaches, 'controllerConfigs' | 'machineConfigs'>
}

/** Undefined if there is no ControllerConfig to render, or it is being deleted. */
export async function gather(
  name: string,
  { caches, maker, templates }: TemplateSources,
  step: Pick<StepContext, 'client' | 'signal'>,
): Promise<TemplateFacts | undefined> {
  const controllerConfig = caches.controllerConfigs.get(name)
  // Only one name is valid: two ControllerConfigs would overwrite each other's MachineConfigs.
  if (name !== names.controllerConfig || !controllerConfig) return undefined
  if (controllerConfig.metadata.deletionTimestamp) return undefined
  const read = await pullSecretOf(controllerConfig, step)
  const isForeign = (one: Readonly<MachineConfig>): boolean => otherMakerOf(one) !== undefined
  const foreignConfigs = caches.machineConfigs.list().filter(isForeign)
  return { controllerConfig, ...read, templates, foreignConfigs, maker }
}

/** Reads the pull secret from the API server, because no cache keeps it in memory. */
async function pullSecretOf(
  { spec }: ControllerConfig,
  step: Pick<StepContext, 'client' | 'signal'>,
): Promise<Pick<TemplateFacts, 'pullSecret' | 'readFailure'>> {
  const key = pullSecretKey(spec.pullSecret)
  try {
    const secret = key && (await readSecret(key, step))
    if (secret === 'forbidden') return { pullSecret: unreadablePullSecret(key!) }
    return { pullSecret: readPullSecret(key, secret) }
  } catch (readFailure) {
    return { pullSecret: { text: '' }, readFailure }
  }
}

async function readSecret(
  key: ObjectKey,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<Secret | 'forbidden' | undefined> {
  try {
    return await client.get(secrets, key, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    if (isForbidden(error)) return 'forbidden'
    throw error
  }
}
