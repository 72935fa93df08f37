import { rotationReasons } from '../../api/reasons.ts'
import type { NodeTrust, TrustRotation } from '../../api/kinds/resources.ts'
import { trustRotations } from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { IssuanceRandom } from '@machinist/pki/issue'
import type { RotationProblem } from './actionable.ts'
import { resolveRotation, bundleMatcher } from './actionable.ts'
import { NodeEvidence } from './evidence/node-evidence.ts'
import { decide } from './decision/decide.ts'
import type { FollowedObjects } from './followed-objects.ts'
import { gather } from './facts/gather.ts'
import { conditionsOf, problemConditions } from './report/conditions.ts'
import { RefusedWrites, refusedMs } from './writes/refused-writes.ts'
import type { RotationMetrics } from './report/rotation-metrics.ts'
import { rotationMetrics } from './report/rotation-metrics.ts'
import { statusOf, problemStatus } from './report/status.ts'
import { RotationStatusReporter } from './report/status-reporter.ts'
import { applyWrites } from './writes/writes.ts'

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
  /** Source of keys and serial numbers; cryptographically random by default. */
  readonly chance?: IssuanceRandom | undefined
}

/** The longest requeue interval, because clocks jump. */
const maxRequeueMs = 3_600_000
/** A failure after more retries than this is reported: a user may have to act. */
const unreportedRetries = 3
/** Interval at which the age of lagging nodes is updated. */
const lateMs = 60_000

/** The controller for TrustRotations: a CA, its bundles and the leaf certificates that it signs. The key is the name. */
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
  readonly #reporter: RotationStatusReporter
  readonly #nodes: NodeEvidence
  readonly #refused: RefusedWrites

  constructor(options: RotationOptions) {
    const { caches, client, clock, metrics } = options
    this.#options = options
    this.#metrics = rotationMetrics(metrics)
    this.#reporter = new RotationStatusReporter(client, clock, this.#metrics)
    this.#nodes = new NodeEvidence(caches)
    this.#refused = new RefusedWrites(clock)
    const nodeChanged = ({ object }: { readonly object: Readonly<Node | NodeTrust> }): string[] =>
      this.#nodes.nodeChanged(object.metadata.name, clock.now())
    this.inputs = [
      input({
        resource: trustRotations.kind,
        informer: caches.rotations,
        keys: (change) => this.#concerned(change),
      }),
      input({ resource: 'Node', informer: caches.nodes, keys: nodeChanged }),
      input({ resource: 'NodeTrust', informer: caches.nodeTrusts, keys: nodeChanged }),
      ...caches.objects.inputs,
    ]
  }

  async reconcile(name: string, context: ReconcileContext): Promise<Outcome> {
    const { caches, clock } = this.#options
    const object = caches.rotations.get(name)
    if (!object || object.metadata.deletionTimestamp !== undefined) return this.#gone(name)
    const all = caches.rotations.list()
    const rotation = resolveRotation(object, all)
    if ('reason' in rotation) return await this.#reportProblem(object, rotation, context)
    caches.objects.follow(name, rotation)
    const unknown = caches.objects.unsynced(rotation)
    if (unknown) return await this.#waitFor(object, unknown, context)
    const isManagedBundle = bundleMatcher(all)
    const { facts: cached, found } = gather(rotation, caches.objects, clock.now(), isManagedBundle)
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
    const { refusals, soonMs, failure } = await applyWrites(plan.writes, options)
    this.#metrics.report(facts, plan.phase)
    const lasting = failure && context.retries >= unreportedRetries ? [failure.message] : []
    const reports = conditionsOf(facts, plan, [...refusals, ...lasting])
    const status = statusOf(object, facts, plan, reports)
    const reportMs = await this.#reporter.report(object, status, context.signal)
    if (failure) throw failure.error
    const isLate = (facts.nodes?.lacking ?? 0) > 0
    return requeueAfter(
      Math.min(
        maxRequeueMs,
        soonMs,
        reportMs ?? Infinity,
        plan.at === undefined ? Infinity : plan.at - facts.now,
        refusals.length > 0 ? refusedMs : Infinity,
        isLate ? lateMs : Infinity,
      ),
    )
  }

  /** A change of a spec may concern all rotations, because they may share objects; a change of a status only its own. */
  #concerned(change: Change<TrustRotation>): Iterable<string> {
    const { name, generation } = change.object.metadata
    const isStatusChange =
      change.type === 'updated' && change.before.metadata.generation === generation
    const all = this.#options.caches.rotations.list().map(({ metadata }) => metadata.name)
    return isStatusChange ? [name] : new Set([name, ...all])
  }

  #gone(name: string): Outcome {
    this.#forget(name)
    this.#reporter.forget(name)
    return settled
  }

  #forget(name: string): void {
    this.#options.caches.objects.follow(name, undefined)
    this.#nodes.forget(name)
    this.#refused.forget(name)
    this.#metrics.forget(name)
  }

  /** Reports the problem; the rotation is processed again when a user changes it. */
  async #reportProblem(
    object: Readonly<TrustRotation>,
    { reason, message }: RotationProblem,
    { signal }: ReconcileContext,
  ): Promise<Outcome> {
    this.#forget(object.metadata.name)
    const reports = problemConditions(reason, message)
    const status = problemStatus(object, reports, this.#options.clock.now())
    const reportMs = await this.#reporter.report(object, status, signal)
    return reportMs === undefined ? settled : requeueAfter(reportMs)
  }

  /** Waits for the cache of an object; if it stays unsynced, reports the object. */
  async #waitFor(
    object: Readonly<TrustRotation>,
    { what, sinceMs }: { readonly what: string; readonly sinceMs: number },
    { signal }: ReconcileContext,
  ): Promise<Outcome> {
    const { clock } = this.#options
    const leftMs = sinceMs + syncTimeoutMs - clock.elapsed()
    if (leftMs > 0) return requeueAfter(leftMs)
    const message = `${what} cannot be read: check that the signer has permission to get, list and watch it`
    const reports = problemConditions(rotationReasons.refused, message)
    await this.#reporter.report(object, problemStatus(object, reports, clock.now()), signal)
    return requeueAfter(refusedMs)
  }
}

/** Longer than any cache takes to sync. */
const syncTimeoutMs = 30_000
