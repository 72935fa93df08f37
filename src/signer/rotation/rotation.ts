import { rotationReasons } from '../../api/reasons.ts'
import type { NodeTrust, TrustRotation } from '../../api/resources.ts'
import { trustRotations } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { Chance } from '@machinist/pki/issue'
import type { Trouble } from './actionable.ts'
import { actionable, bundlesOf } from './actionable.ts'
import { AskedNodes } from './asked-nodes.ts'
import { decide } from './decide.ts'
import type { FollowedObjects } from './followed-objects.ts'
import { gather } from './gather.ts'
import { reportsOf, troubleReports } from './reports.ts'
import { RefusedWrites, refusedMs } from './refused-writes.ts'
import type { RotationMetrics } from './rotation-metrics.ts'
import { rotationMetrics } from './rotation-metrics.ts'
import { statusOf, troubledStatus } from './status.ts'
import { StatusTeller } from './teller.ts'
import { makeWrites } from './writes.ts'

export interface RotationCaches {
  readonly rotations: Informer<TrustRotation>
  readonly nodes: Informer<Node>
  readonly nodeTrusts: Informer<NodeTrust>
  readonly objects: FollowedObjects
}

export interface RotationOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly caches: RotationCaches
  /** Where keys and serial numbers come from; nobody can foresee them unless said. */
  readonly chance?: Chance | undefined
}

/** Clocks jump: nothing is left alone for longer than this. */
const longestMs = 3_600_000
/** What fails more often in a row is told: a person may have to see to it. */
const passingRetries = 3
/** How often the age of what is late is counted anew. */
const lateMs = 60_000

/** A CA, those who trust it, and what it signs. The key is the name of the TrustRotation. One for each run. */
export function rotationController(options: RotationOptions): Controller {
  return new RotationController(options)
}

class RotationController implements Controller {
  readonly name = 'trust-rotation'
  readonly outputs = ['Secret', 'ConfigMap', 'TrustRotation']
  readonly inputs: readonly Input[]
  readonly timeoutMs = 120_000
  readonly #options: RotationOptions
  readonly #metrics: RotationMetrics
  readonly #teller: StatusTeller
  readonly #nodes: AskedNodes
  readonly #refused: RefusedWrites

  constructor(options: RotationOptions) {
    const { caches, client, clock, metrics } = options
    this.#options = options
    this.#metrics = rotationMetrics(metrics)
    this.#teller = new StatusTeller(client, clock, this.#metrics)
    this.#nodes = new AskedNodes(caches)
    this.#refused = new RefusedWrites(clock)
    const heard = ({ object }: { readonly object: Readonly<Node | NodeTrust> }): string[] =>
      this.#nodes.heard(object.metadata.name, clock.now())
    this.inputs = [
      input({
        resource: trustRotations.kind,
        informer: caches.rotations,
        keys: (change) => this.#concerned(change),
      }),
      input({ resource: 'Node', informer: caches.nodes, keys: heard }),
      input({ resource: 'NodeTrust', informer: caches.nodeTrusts, keys: heard }),
      ...caches.objects.inputs,
    ]
  }

  async reconcile(name: string, context: ReconcileContext): Promise<Outcome> {
    const { caches, clock } = this.#options
    const object = caches.rotations.get(name)
    if (!object || object.metadata.deletionTimestamp !== undefined) return this.#gone(name)
    const all = caches.rotations.list()
    const rotation = actionable(object, all)
    if ('reason' in rotation) return await this.#trouble(object, rotation, context)
    caches.objects.follow(name, rotation)
    const unknown = caches.objects.unknown(rotation)
    if (unknown) return await this.#waitFor(object, unknown, context)
    const isMade = bundlesOf(all)
    const { facts: cached, found } = gather(rotation, caches.objects, clock.now(), isMade)
    const facts = { ...cached, ...this.#nodes.facts(cached) }
    const plan = decide(facts)
    const refused = this.#refused
    const options = {
      ...this.#options,
      ...context,
      object,
      rotation,
      found,
      refused,
      now: facts.now,
    }
    const { refusals, soonMs, failure } = await makeWrites(plan.writes, options)
    this.#metrics.show(facts, plan.phase)
    const lasting = failure && context.retries >= passingRetries ? [failure.message] : []
    const reports = reportsOf(facts, plan, [...refusals, ...lasting])
    const status = statusOf(object, facts, plan, reports)
    const tellMs = await this.#teller.tell(object, status, context.signal)
    if (failure) throw failure.error
    const isLate = (facts.nodes?.lacking ?? 0) > 0
    return requeueAfter(
      Math.min(
        longestMs,
        soonMs,
        tellMs ?? Infinity,
        plan.at === undefined ? Infinity : plan.at - facts.now,
        refusals.length > 0 ? refusedMs : Infinity,
        isLate ? lateMs : Infinity,
      ),
    )
  }

  /** What one names may be another's; what its status tells concerns nobody else. */
  #concerned(change: Change<TrustRotation>): Iterable<string> {
    const { name, generation } = change.object.metadata
    const isTold = change.type === 'updated' && change.before.metadata.generation === generation
    const all = this.#options.caches.rotations.list().map(({ metadata }) => metadata.name)
    return isTold ? [name] : new Set([name, ...all])
  }

  #gone(name: string): Outcome {
    this.#forget(name)
    this.#teller.forget(name)
    return settled
  }

  #forget(name: string): void {
    this.#options.caches.objects.follow(name, undefined)
    this.#nodes.forget(name)
    this.#refused.forget(name)
    this.#metrics.forget(name)
  }

  /** Nothing is done until a person has changed something. */
  async #trouble(
    object: Readonly<TrustRotation>,
    { reason, message }: Trouble,
    { signal }: ReconcileContext,
  ): Promise<Outcome> {
    this.#forget(object.metadata.name)
    const reports = troubleReports(reason, message)
    const status = troubledStatus(object, reports, this.#options.clock.now())
    const tellMs = await this.#teller.tell(object, status, signal)
    return tellMs === undefined ? settled : requeueAfter(tellMs)
  }

  /** Most likely for a moment only; what stays unknown is told. */
  async #waitFor(
    object: Readonly<TrustRotation>,
    { what, sinceMs }: { readonly what: string; readonly sinceMs: number },
    { signal }: ReconcileContext,
  ): Promise<Outcome> {
    const { clock } = this.#options
    const leftMs = sinceMs + unknownMs - clock.elapsed()
    if (leftMs > 0) return requeueAfter(leftMs)
    const message = `${what} cannot be read: has the signer the right to get, list and watch it?`
    const reports = troubleReports(rotationReasons.refused, message)
    await this.#teller.tell(object, troubledStatus(object, reports, clock.now()), signal)
    return requeueAfter(refusedMs)
  }
}

/** Longer than any cache takes to know what there is. */
const unknownMs = 30_000
