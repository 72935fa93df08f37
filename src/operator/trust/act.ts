import { keyOf } from '@machinist/core/objects/resource'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { configMaps } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { writeControllerConfig } from '../inputs/write-controller-config.ts'
import type { TrustPlan } from './decide.ts'
import type { TrustFacts } from './facts/facts.ts'
import { toTransient } from './failures.ts'
import type { FirstPass } from './first-pass.ts'
import type { LastWritten } from './last-written.ts'
import type { ConfigMapWrite } from './sources/config-map-write.ts'

export interface TrustWriteContext extends Pick<StepContext, 'client' | 'log' | 'signal'> {
  readonly firstPass: FirstPass
  readonly lastWritten: LastWritten<ControllerConfig>
}

export interface TrustResult {
  /** The current ControllerConfig, if there is one. */
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  /** Whether its trust fields were written. */
  readonly isWritten: boolean
  readonly failures: readonly unknown[]
}

/** The writes are independent: a failing or slow one does not block the others. */
export async function act(
  plan: TrustPlan,
  facts: TrustFacts,
  context: TrustWriteContext,
): Promise<TrustResult> {
  context.firstPass.end()
  const failures: unknown[] = []
  const [written] = await Promise.all([
    writeTrustFields(plan, facts, context, failures),
    storeConfigMap(plan.kubeconfigData, context, failures),
    storeConfigMap(plan.mergedCAs, context, failures),
  ])
  const controllerConfig = written ?? facts.controllerConfig
  return { controllerConfig, isWritten: written !== undefined, failures }
}

/** Undefined if nothing was written. */
async function writeTrustFields(
  { controllerConfig: change }: TrustPlan,
  { controllerConfig: stored }: TrustFacts,
  { client, log, signal, lastWritten }: TrustWriteContext,
  failures: unknown[],
): Promise<Readonly<ControllerConfig> | undefined> {
  if (!change) return undefined
  try {
    const written = await writeControllerConfig(client, stored, change, signal)
    lastWritten.keep(written)
    log.info('wrote the trust fields of the ControllerConfig', {
      resourceVersion: written.metadata.resourceVersion,
    })
    return written
  } catch (error) {
    lastWritten.forget()
    failures.push(toTransient(`ControllerConfig ${names.controllerConfig}`, error))
    return undefined
  }
}

async function storeConfigMap(
  write: ConfigMapWrite | undefined,
  context: TrustWriteContext,
  failures: unknown[],
): Promise<void> {
  if (!write) return
  try {
    await writeConfigMap(write, context)
  } catch (error) {
    failures.push(toTransient(targetOf(write), error))
  }
}

async function writeConfigMap(
  write: ConfigMapWrite,
  { client, signal }: TrustWriteContext,
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
function targetOf(write: ConfigMapWrite): string {
  const { namespace, name } = 'create' in write ? keyOf(write.create) : write.about
  return `ConfigMap ${namespace}/${name}`
}
