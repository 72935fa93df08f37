import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { Transient } from '@machinist/core/errors'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isRefused, describeRefusal } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import type { ClusterObjectOptions } from '../inputs/cluster-objects.ts'
import { InputReporter } from '../inputs/report-inputs.ts'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { writeControllerConfig } from '../inputs/write-controller-config.ts'
import type { FactsCaches } from './caches.ts'
import { factsInputs, followFacts } from './caches.ts'
import { decideFacts } from './decide.ts'
import { gatherClusterFacts } from './gather.ts'

export interface FactsOptions extends ClusterObjectOptions {
  readonly events: EventRecorder
  readonly controllerConfigs: Informer<ControllerConfig>
  /** The version of Machinist: controllers only use a ControllerConfig that an operator of the same version wrote. */
  readonly version: string
  /** How long to wait for the first write of the trust controller, so that facts and versions are one write; 0 by default. */
  readonly trustFirstMs?: number
  /** The release of the cluster that Machinist is part of, if any. */
  readonly payloadVersion?: string
}

export interface FactsLoop {
  readonly controller: Controller
  /** The caller starts them; the passed informer is not among them. */
  readonly informers: readonly Pick<Informer<KubeObject>, 'start'>[]
}

/** Cluster facts → ControllerConfig, except its trust fields. The key is the name of the ControllerConfig. */
export function factsController(options: FactsOptions): FactsLoop {
  const { client, clock, events, metrics, version, payloadVersion, trustFirstMs = 0 } = options
  const informers: Pick<Informer<KubeObject>, 'start'>[] = []
  const caches = followFacts(options, options.controllerConfigs, (informer) => {
    informers.push(informer)
  })
  const reporter = new InputReporter({ client, clock, events, metrics })
  let startedAt: number | undefined
  const controller: Controller = {
    name: 'cluster-facts',
    inputs: factsInputs(caches, names.controllerConfig, clock),
    outputs: ['ControllerConfig'],
    reconcile: (_key, context) => reconcile(caches, context),
  }
  return { controller, informers }

  async function reconcile(from: FactsCaches, { signal }: ReconcileContext): Promise<Outcome> {
    const facts = gatherClusterFacts(from, payloadVersion)
    if (facts.stored?.metadata.deletionTimestamp) return settled
    const waitMs = remainingWaitMs(facts.stored)
    if (waitMs > 0) return requeueAfter(waitMs)
    const { change, reports } = decideFacts(facts, { version, release: payloadVersion ?? version })
    let current = facts.stored
    try {
      current = await write(facts.stored, change, signal)
    } finally {
      if (current) await reporter.report(current, reports, signal)
    }
    return settled
  }

  /** Controllers render only after both controllers have written. If the trust controller cannot write, the facts are written anyway. */
  function remainingWaitMs(stored: Readonly<ControllerConfig> | undefined): number {
    const { trustDigests } = ownControllerConfigAnnotations
    if (stored?.metadata.annotations?.[trustDigests] !== undefined) return 0
    startedAt ??= clock.elapsed()
    return startedAt + trustFirstMs - clock.elapsed()
  }

  async function write(
    stored: Readonly<ControllerConfig> | undefined,
    change: ControllerConfigChange,
    signal: AbortSignal,
  ): Promise<Readonly<ControllerConfig>> {
    try {
      return await writeControllerConfig(client, stored, change, signal)
    } catch (error) {
      if (!isRefused(error)) throw error
      // The message of the server may quote the sent object.
      throw new Transient('Refused', describeRefusal('ControllerConfig', error))
    }
  }
}
