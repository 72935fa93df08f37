import { machineConfigBuild } from '../api/maker.ts'
import { namespaces } from '../api/names.ts'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { ControllerSet, Startable } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import type { Controller } from '@machinist/kube/controller/controller'
import { pausedController } from '@machinist/kube/controller/paused-controller'
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

export interface OperatorOptions extends Omit<ControllerContext, 'events'> {
  /** The version of Machinist: controllers only use a ControllerConfig that an operator of the same version wrote. */
  readonly version: string
  /** The release of the cluster that Machinist is part of; defaults to `version`. */
  readonly payloadVersion?: string
  /** The name of the pod, for events. */
  readonly instance?: string
  /** The namespace of the operator. */
  readonly namespace?: string
  /** How long the API server's CAs must be unchanged before they are published to nodes; one minute by default. */
  readonly settleMs?: number
  /** How long running reconciles may continue after the stop. */
  readonly stopGraceMs?: number
  /** Called when the caches of all controllers have synced. */
  readonly ready?: () => void
}

/** Longer than the trust controller normally needs for its first write. */
const trustFirstMs = 3000

/** The source of events. */
const component = 'machineconfigoperator'

/**
 * Runs every controller of the operator until the signal aborts, and resolves when all have stopped. They are independent: a
 * problem with a pool, an input or a release blocks no other controller. Only at the first start, the facts controller waits a
 * few seconds for the trust controller, so that each writes the ControllerConfig once.
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const controllers: ControllerSet['controllers'] = (context, keep) =>
    allControllers(options, context, keep)
  await runControllerSet({ ...options, component, controllers }, signal)
}

function allControllers(
  options: OperatorOptions,
  context: ControllerContext,
  keep: (informer: Startable) => void,
): Controller[] {
  const { version, payloadVersion, settleMs, namespace = namespaces.operator } = options
  const { client, clock, metrics, events } = context
  const given = context
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
    // The trust controller pauses by itself, with its own informer.
    trust.controller,
    ...paused.map((controller) => pausedController(controller, pause)),
    // It writes only NodeTrusts, which other operators do not have.
    kubeletTurnsController({ client, clock, metrics, events, caches }),
  ]
}
