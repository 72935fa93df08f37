import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import { Transient } from '@machinist/core/errors'
import type { KubeObject } from '@machinist/core/resource'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isRefused, refusalInWords } from '@machinist/kube/failure'
import type { Informer } from '@machinist/kube/informer/informer'
import type { FollowOptions } from '../inputs/cluster-objects.ts'
import { InputShow } from '../inputs/show-inputs.ts'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { writeControllerConfig } from '../inputs/write-controller-config.ts'
import type { FactsCaches } from './caches.ts'
import { factsInputs, followFacts } from './caches.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'

export interface FactsOptions extends FollowOptions {
  readonly events: EventRecorder
  readonly controllerConfigs: Informer<ControllerConfig>
  /** Ours: controllers work only from what an operator of their own version wrote. */
  readonly version: string
  /** How long the trust loop may take to write first: then facts and versions go in one write. Not at all unless said. */
  readonly trustFirstMs?: number
  /** The release that we belong to, if any. */
  readonly payloadVersion?: string
}

export interface FactsLoop {
  readonly controller: Controller
  /** To be started by whoever runs it; not among them the one that came in. */
  readonly informers: readonly Pick<Informer<KubeObject>, 'start'>[]
}

/** What the cluster is like → ControllerConfig, all but what nodes trust. The key is the ControllerConfig's name. */
export function factsController(options: FactsOptions): FactsLoop {
  const { client, clock, events, metrics, version, payloadVersion, trustFirstMs = 0 } = options
  const informers: Pick<Informer<KubeObject>, 'start'>[] = []
  const caches = followFacts(options, options.controllerConfigs, (informer) => {
    informers.push(informer)
  })
  const show = new InputShow({ client, clock, events, metrics })
  let begun: number | undefined
  const controller: Controller = {
    name: 'cluster-facts',
    inputs: factsInputs(caches, names.controllerConfig, clock),
    outputs: ['ControllerConfig'],
    reconcile: (_key, context) => reconcile(caches, context),
  }
  return { controller, informers }

  async function reconcile(from: FactsCaches, { signal }: ReconcileContext): Promise<Outcome> {
    const facts = gather(from, payloadVersion)
    if (facts.stored?.metadata.deletionTimestamp) return settled
    const waitMs = trustMayTake(facts.stored)
    if (waitMs > 0) return requeueAfter(waitMs)
    const { change, reports } = decide(facts, { version, release: payloadVersion ?? version })
    let shown = facts.stored
    try {
      shown = await write(facts.stored, change, signal)
    } finally {
      if (shown) await show.show(shown, reports, signal)
    }
    return settled
  }

  /** Nobody renders before both loops have written; where the trust loop cannot, the facts are written all the same. */
  function trustMayTake(stored: Readonly<ControllerConfig> | undefined): number {
    const { trustDigests } = ownControllerConfigAnnotations
    if (stored?.metadata.annotations?.[trustDigests] !== undefined) return 0
    begun ??= clock.elapsed()
    return begun + trustFirstMs - clock.elapsed()
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
      // The server's own words may quote what was sent.
      throw new Transient('Refused', refusalInWords('ControllerConfig', error))
    }
  }
}
