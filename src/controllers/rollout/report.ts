import { sameJson } from '@machinist/core/encoding/json'
import { Waiting } from '@machinist/core/errors'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass } from '@machinist/kube/controller/step-controller'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../../api/annotations.ts'
import { conditionOf, isCondition, poolConditions } from '../../api/conditions.ts'
import { poolEvents, updatedReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import { factsOf, isDone } from '../../fleet/rollout/node-facts.ts'
import { isAllUpdated } from '../../fleet/rollout/situation.ts'
import { shortened, formatTarget } from '../../fleet/rollout/wording.ts'
import type { RolloutResult, RolloutWriteContext } from './act.ts'
import { patchPool } from './act.ts'
import type { RolloutPlan } from './decide.ts'
import { nodeInSeveralPools, selectionDegraded } from './reasons.ts'
import type { RolloutMetrics } from './rollout-metrics.ts'
import { statusOf } from './status.ts'

export type RolloutPass = Pass<RolloutFacts, RolloutPlan, RolloutResult>

export interface RolloutReportContext extends Pick<
  RolloutWriteContext,
  'client' | 'signal' | 'writtenPools'
> {
  readonly events: EventRecorder
  readonly rolloutMetrics: RolloutMetrics
}

/** Metrics, events, and one patch of the pool's status, or none if the status is up to date. */
export async function report(pass: RolloutPass, context: RolloutReportContext): Promise<void> {
  const { key, facts, plan } = pass
  // The other controller writes the status too: two writers would overwrite each other forever.
  if (facts.isForeignTarget) return
  // The pool changed: the next reconcile reports its newest state.
  if (pass.type === 'failed' && pass.failure instanceof Waiting) return
  const { events, rolloutMetrics } = context
  const status = statusOf(plan)
  rolloutMetrics.setStatus(key, status)
  if (pass.type === 'acted') reportTargeted(events, plan, pass.result)
  reportContestedNodes(events, facts)
  const newest = context.writtenPools.newest(key, facts.pool) ?? facts.pool
  if (!sameJson(status, facts.pool.status)) await patchPool(context, newest, { status }, 'status')
  reportPoolState(events, plan)
}

/** Events on the pool for nodes whose desiredConfig was set. */
function reportTargeted(
  events: EventRecorder,
  plan: RolloutPlan,
  { targeted }: RolloutResult,
): void {
  const { facts, target } = plan.situation
  const about = referenceTo(machineConfigPools, facts.pool)
  if (!target) return
  const line = formatTarget(target)
  if (plan.deferred !== undefined && targeted.length > 0) {
    const message = `Deferring update of node ${plan.deferred}: it runs the operator`
    events.normal(about, poolEvents.deferringOperatorNodeUpdate, message)
  }
  if (targeted.length > 0) {
    const reason = target.layered
      ? poolEvents.setDesiredConfigAndOSImage
      : poolEvents.setDesiredConfig
    const nodes =
      targeted.length === 1
        ? `Targeted node ${targeted[0]}`
        : `Set target for ${targeted.length} nodes`
    events.normal(about, reason, `${nodes} to ${line}`)
  }
}

/** Events on the pool when its state changes. */
function reportPoolState(events: EventRecorder, { situation }: RolloutPlan): void {
  const { facts, target } = situation
  if (!target) return
  const about = referenceTo(machineConfigPools, facts.pool)
  const line = formatTarget(target)
  const updated = conditionOf(facts.pool.status?.conditions, poolConditions.updated)
  const wasUpdated = updated?.status === 'True' || updated?.reason === updatedReasons.rendered
  const wasUpdating = isCondition(facts.pool.status?.conditions, poolConditions.updating)
  const isUpdated = isAllUpdated(situation)
  if (isUpdated && wasUpdating) events.normal(about, poolEvents.completed, `Completed ${line}`)
  if (!isUpdated && wasUpdated) events.normal(about, poolEvents.updating, `Updating to ${line}`)
}

/** Events for changed annotations of control plane nodes; the end of an update is in `Completed` of the pool. */
export function reportAnnotationChanges(
  events: EventRecorder,
  master: Readonly<MachineConfigPool>,
  { object, before }: { readonly object: Readonly<Node>; readonly before: Readonly<Node> },
): void {
  const [was, is] = [factsOf(before), factsOf(object)]
  if (is.current === undefined || (was.current !== was.desired && isDone(is))) return
  const { name, annotations = {} } = object.metadata
  for (const key of reportedAnnotations) {
    const value = annotations[key]
    if (value === before.metadata.annotations?.[key]) continue
    const message =
      value === undefined
        ? `Node ${name} no longer has ${key}`
        : `Node ${name} now has ${key}=${shortened(value)}`
    const about = referenceTo(machineConfigPools, master)
    events.normal(about, poolEvents.annotationChange, message)
  }
}

const reportedAnnotations = [
  nodeAnnotations.currentConfig,
  nodeAnnotations.desiredConfig,
  nodeAnnotations.state,
  nodeAnnotations.reason,
  nodeAnnotations.currentImage,
  nodeAnnotations.desiredImage,
]

/** One event on each contested node, before the condition of the pool names it; only the first of its pools emits it. */
function reportContestedNodes(events: EventRecorder, { pool, contested }: RolloutFacts): void {
  const reported = conditionOf(pool.status?.conditions, selectionDegraded)?.message ?? ''
  for (const { node, pools } of contested) {
    if (pools[0] !== pool.metadata.name || reported.includes(`node ${node} (`)) continue
    const message = `The custom pools ${pools.join(' and ')} select this node, so it is in none of them: change its labels so that only one does`
    events.warning({ apiVersion: 'v1', kind: 'Node', name: node }, nodeInSeveralPools, message)
  }
}
