import { machineConfigBuild } from '../api/maker.ts'
import { namespaces } from '../api/names.ts'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import type { ControllerSet, Startable } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import type { Controller } from '@machinist/kube/controller/controller'
import { pausedController } from '@machinist/kube/controller/paused-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { clusterOperatorController } from './cluster-operator/cluster-operator.ts'
import { TaskReports } from './cluster-operator/tasks.ts'
import { factsController } from './facts/facts.ts'
import { kubeletTurnsController } from './kubelet-turns/kubelet-turns.ts'
import { ledgerController } from './ledger/ledger.ts'
import { machineConfigurationController } from './machine-configuration/machine-configuration.ts'
import { operatorCaches } from './operator-caches.ts'
import { otherOperatorController, whileOtherOperator } from './other-operator/other-operator.ts'
import { poolsController } from './pools/pools.ts'
import { trustController } from './trust/trust.ts'

export interface OperatorOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** Ours: controllers work only from what an operator of their own version wrote. */
  readonly version: string
  /** The release of the cluster that we belong to; ours unless said. */
  readonly payloadVersion?: string
  /** Where this runs, as events tell it: the name of the pod. */
  readonly instance?: string
  /** Where the operator runs. */
  readonly namespace?: string
  /** How long the API server's CAs must not have changed before nodes are given them; a minute unless said. */
  readonly settleMs?: number
  /** How long what is under way may go on after the stop. */
  readonly stopGraceMs?: number
  /** Called when every loop knows the cluster and works. */
  readonly ready?: () => void
}

/** Longer than the trust loop takes where nothing is in its way. */
const trustFirstMs = 3000

/** Who tells, in events. */
const component = 'machineconfigoperator'

/**
 * Runs every loop of the operator until the signal aborts, and resolves when all have stopped. None waits for another:
 * what is wrong with a pool, an input or a release holds up nothing else. Only at the very first start the cluster's facts give
 * trust a few seconds, so that the ControllerConfig is written by each of them once.
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const controllers: ControllerSet['controllers'] = (events, keep, metrics) =>
    allLoops({ ...options, metrics }, events, keep)
  await runControllerSet({ ...options, component, controllers }, signal)
}

function allLoops(
  options: OperatorOptions,
  events: EventRecorder,
  keep: (informer: Startable) => void,
): Controller[] {
  const { client, clock, random, log, metrics, version, payloadVersion, settleMs } = options
  const { namespace = namespaces.operator } = options
  const given = { client, clock, random, log, metrics, events }
  const caches = operatorCaches(given, keep)
  const reports = new TaskReports()
  const { controllerConfigs, machineConfigurations } = caches
  const trust = trustController({ ...given, ...(settleMs !== undefined && { settleMs }) })
  const facts = factsController({
    ...given,
    controllerConfigs,
    version,
    trustFirstMs,
    ...(payloadVersion !== undefined && { payloadVersion }),
  })
  for (const informer of [...trust.informers, ...facts.informers]) keep(informer)
  const paused = [
    facts.controller,
    poolsController({ client, informers: caches, events, reports, clock }),
    machineConfigurationController({
      client,
      machineConfigurations,
      controllerConfigs,
      events,
      reports,
      clock,
    }),
    clusterOperatorController({
      ...given,
      informers: caches,
      isServed: caches.hasClusterOperators,
      reports,
      version: payloadVersion ?? version,
      build: machineConfigBuild(version),
      namespace,
    }),
    ledgerController({ client, clock, metrics, caches }),
  ]
  const pause = whileOtherOperator(controllerConfigs)
  return [
    otherOperatorController({ controllerConfigs, events, metrics }),
    // Its pause is its own, with its own informer.
    trust.controller,
    ...paused.map((controller) => pausedController(controller, pause)),
    // Writes NodeTrusts only, which no other operator has.
    kubeletTurnsController({ client, clock, metrics, events, caches }),
  ]
}
