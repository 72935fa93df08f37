import type { SecureRandom } from '@machinist/core/secure-random'
import type { Activity } from '@machinist/kube/controller/activity'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { ControllerSet, Startable } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import type { Controller } from '@machinist/kube/controller/controller'
import { pausedController } from '@machinist/kube/controller/paused-controller'
import { machineConfigBuild } from '../api/maker.ts'
import { namespaces } from '../api/names.ts'
import { clusterFactsCaches } from './cluster-facts/caches.ts'
import { clusterFactsController } from './cluster-facts/cluster-facts.ts'
import { clusterOperatorController } from './cluster-operator/cluster-operator.ts'
import { TaskReports } from './cluster-operator/tasks.ts'
import { kubeletTurnsController } from './kubelet-turns/kubelet-turns.ts'
import { machineConfigurationController } from './machine-configuration/machine-configuration.ts'
import type { OperatorCaches } from './operator-caches.ts'
import { operatorCaches } from './operator-caches.ts'
import { otherOperatorController } from './other-operator/other-operator.ts'
import { whileOtherOperator } from './other-operator/pause.ts'
import { poolsController } from './pools/pools.ts'
import { provisioningTokensController } from './provisioning-tokens/provisioning-tokens.ts'
import { serverCertificatesCaches } from './server-certificates/caches.ts'
import { serverCertificatesController } from './server-certificates/server-certificates.ts'
import { trustCaches } from './trust/caches.ts'
import { trustController } from './trust/trust.ts'
import { trustDeliveryController } from './trust-delivery/trust-delivery.ts'

export interface OperatorOptions extends Omit<ControllerContext, 'events'> {
  /** The version of Machinist: controllers only use a ControllerConfig that an operator of the same version wrote. */
  readonly version: string
  /** The release of the cluster that Machinist is part of; defaults to `version`. */
  readonly payloadVersion?: string
  /** The name of the pod, for events. */
  readonly instance?: string
  /** The namespace of the operator. */
  readonly namespace?: string
  /** Source of provisioning tokens; cryptographically random by default. */
  readonly chance?: SecureRandom
  /** How long the API server's CAs must be unchanged before they are published to nodes; one minute by default. */
  readonly settleMs?: number
  /** How long the cluster-facts controller waits for the first write of the trust controller; three seconds by default. */
  readonly trustFirstMs?: number
  /** Whether the ControllerConfig is written from the cluster's objects. If not, it is an input. Defaults to true. */
  readonly writesControllerConfig?: boolean
  /** How long running reconciles may continue after the stop. */
  readonly stopGraceMs?: number
  /** Observes whether the controllers have work. */
  readonly activity?: Activity
  /** Called when the caches of all controllers have synced. */
  readonly ready?: () => void
}

/** Longer than the trust controller normally needs for its first write. */
const defaultTrustFirstMs = 3000

/** The source of events. */
const component = 'machineconfigoperator'

/**
 * Runs every controller of the operator until the signal aborts, and resolves when all have stopped. They are independent: a
 * problem with a pool, an input or a release blocks no other controller. Only at the first start, the cluster-facts controller waits
 * a few seconds for the trust controller, so that each writes the ControllerConfig once.
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const controllers: ControllerSet['controllers'] = (context, keep) =>
    operatorControllers(options, context, keep)
  await runControllerSet({ ...options, component, controllers }, signal)
}

/** All controllers of the operator, not running. */
export function operatorControllers(
  options: Omit<OperatorOptions, keyof ControllerContext>,
  context: ControllerContext,
  keep: (informer: Startable) => void,
): Controller[] {
  const { version, payloadVersion, chance, writesControllerConfig = true } = options
  const { namespace = namespaces.operator } = options
  const caches = operatorCaches(context, keep)
  const reports = new TaskReports()
  const paused = [
    poolsController(context, caches, { reports }),
    provisioningTokensController(context, caches, { reports, chance }),
    machineConfigurationController(context, caches, { reports }),
    serverCertificatesController(context, serverCertificatesCaches(context, caches, keep), {
      reports,
    }),
    clusterOperatorController(context, caches, {
      reports,
      version: payloadVersion ?? version,
      build: machineConfigBuild(version),
      namespace,
    }),
    trustDeliveryController(context, caches),
  ]
  const pause = whileOtherOperator(caches.controllerConfigs)
  return [
    otherOperatorController(context, caches),
    ...(writesControllerConfig ? controllerConfigWriters(options, context, caches, keep) : []),
    ...paused.map((controller) => pausedController(controller, pause)),
    // It writes only NodeTrusts, which other operators do not have.
    kubeletTurnsController(context, caches),
  ]
}

/** The controllers that write the ControllerConfig from the cluster's objects. */
function controllerConfigWriters(
  options: Omit<OperatorOptions, keyof ControllerContext>,
  context: ControllerContext,
  { controllerConfigs }: OperatorCaches,
  keep: (informer: Startable) => void,
): Controller[] {
  const { version, payloadVersion, settleMs, trustFirstMs = defaultTrustFirstMs } = options
  const ownCaches = trustCaches(context, keep)
  const factsCaches = clusterFactsCaches(context, controllerConfigs, keep)
  const trust = trustController(context, ownCaches, { ...(settleMs !== undefined && { settleMs }) })
  const facts = clusterFactsController(context, factsCaches, {
    version,
    trustFirstMs,
    ...(payloadVersion !== undefined && { payloadVersion }),
  })
  return [
    // By its own informer, so that nothing else can block it.
    pausedController(trust, whileOtherOperator(ownCaches.controllerConfigs)),
    pausedController(facts, whileOtherOperator(controllerConfigs)),
  ]
}
