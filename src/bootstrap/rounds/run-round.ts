import { systemClock } from '@machinist/core/clock'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { Activity } from '@machinist/kube/controller/activity'
import { machineConfigBuild } from '../../api/maker.ts'
import { namespaces } from '../../api/names.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { runControllers } from '../../controllers/run-controllers.ts'
import type { TemplateSet } from '../../controllers/template/template-set.ts'
import { runOperator } from '../../operator/run-operator.ts'
import { FailureLog } from './failure-log.ts'

export interface RoundOptions {
  readonly client: KubeClient
  readonly templates: TemplateSet
  readonly version: string
  readonly payloadVersion?: string | undefined
  readonly release: Release
  /** Whether the operator writes the ControllerConfig, because none is given. */
  readonly writesControllerConfig: boolean
}

/**
 * Starts the operator and the controllers with empty caches, lets them reconcile every object once, and stops them. Keys that are
 * requeued within `withinMs` are waited for. Returns the errors that they logged.
 */
export async function runRound(
  options: RoundOptions,
  withinMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { client, templates, version, payloadVersion, release, writesControllerConfig } = options
  const log = new FailureLog()
  const activity = new Activity()
  const stop = new AbortController()
  const tools = {
    client,
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: new Metrics(),
    activity,
    namespace: namespaces.operator,
  }
  const stopped = AbortSignal.any([signal, stop.signal])
  // Nothing is gained by waiting for more changes: all of them are in the API.
  const operator = { ...tools, version, writesControllerConfig, settleMs: 0, trustFirstMs: 0 }
  const maker = { version, build: machineConfigBuild(version) }
  const controllers = { ...tools, maker, templates, release, renderWindowMs: 0, rolloutBatchMs: 0 }
  const running = Promise.all([
    runOperator({ ...operator, ...(payloadVersion !== undefined && { payloadVersion }) }, stopped),
    runControllers(controllers, stopped),
  ])
  try {
    // A stop also ends the wait: the controllers leave, and those that are left are idle.
    await Promise.race([activity.idle(withinMs), running])
  } finally {
    stop.abort()
    await running
  }
  return log.failures
}
