import {
  conditionOf,
  inputOfDegraded,
  isCondition,
  nodeConditions,
  poolConditions,
  rotationConditions,
} from '../../api/conditions.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import type { ControllerConfig, MachineConfigNode, MachineConfigPool } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import { drainTrouble } from '../../fleet/rollout/blockers.ts'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import type { NodeFacts } from '../../fleet/rollout/node-facts.ts'
import { factsOf, isDegraded, isDone } from '../../fleet/rollout/node-facts.ts'
import type { Node } from '@machinist/kube/kinds/core'
import { faultText } from './node-fault.ts'

/** What there is to see of a cluster, pure data. */
export interface ClusterStatus {
  readonly pools: readonly PoolStatus[]
  /** Those that are under way, or cannot go on. */
  readonly rotations: readonly RotationStatus[]
  /** Inputs of the operator that it cannot use. */
  readonly badInputs: readonly InputStatus[]
}

export interface InputStatus {
  readonly name: string
  readonly why: string
}

export interface RotationStatus {
  readonly name: string
  readonly mood: 'busy' | 'bad'
  readonly phase: string
  readonly trusting: number
  readonly total: number
  /** Who or what holds it up. */
  readonly why: string
}

export interface PoolStatus {
  readonly name: string
  readonly state: 'Updated' | 'Updating' | 'Paused' | 'Degraded' | 'Starting'
  readonly updated: number
  readonly total: number
  readonly config?: string
  /** Why it is as it is; empty when there is nothing to say. */
  readonly why: string
  readonly nodes: readonly NodeStatus[]
}

export interface NodeStatus {
  readonly name: string
  readonly mood: 'well' | 'waiting' | 'busy' | 'bad'
  /** What it is doing, in a few words. */
  readonly doing: string
  readonly config?: string
  /** More about it: what blocks its drain, or why it failed. */
  readonly why?: string
}

interface Seen {
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly nodes: readonly Readonly<Node>[]
  readonly machineConfigNode: (name: string) => Readonly<MachineConfigNode> | undefined
  readonly rotations: readonly Readonly<TrustRotation>[]
  readonly controllerConfigs: readonly Readonly<ControllerConfig>[]
}

/** Pure: the cluster as people want to see it. */
export function clusterStatus(seen: Seen): ClusterStatus {
  const { pools, nodes, machineConfigNode, rotations, controllerConfigs } = seen
  const selections = pools.map(selectionOf)
  const members = Map.groupBy(nodes, (node) => poolOf(node, selections))
  return {
    pools: pools.toSorted(builtInFirst).map((pool) => {
      const own = (members.get(pool.metadata.name) ?? []).toSorted(byName)
      return poolStatus(
        pool,
        own.map((node) => nodeStatus(node, pool, machineConfigNode(node.metadata.name))),
      )
    }),
    rotations: rotations.toSorted(byName).flatMap(rotationStatus),
    badInputs: controllerConfigs.flatMap(badInputs),
  }
}

function badInputs({ status }: Readonly<ControllerConfig>): InputStatus[] {
  return (status?.conditions ?? []).flatMap(({ type, status: is, message = '' }) => {
    const name = inputOfDegraded(type)
    return name !== undefined && is === 'True' ? [{ name, why: message }] : []
  })
}

/** One that only begins its first CA, or is done with its last, is nobody's concern. */
function rotationStatus(rotation: Readonly<TrustRotation>): RotationStatus[] {
  const { phase = 'Completed', retiring = [], conditions } = rotation.status ?? {}
  if (isCondition(conditions, rotationConditions.degraded)) {
    return [
      { ...rotationFacts(rotation, rotationConditions.degraded), mood: 'bad', phase: 'Degraded' },
    ]
  }
  if (phase === 'Completed' || retiring.length === 0) return []
  return [{ ...rotationFacts(rotation, rotationConditions.progressing), mood: 'busy', phase }]
}

function rotationFacts(
  { metadata: { name }, status }: Readonly<TrustRotation>,
  telling: string,
): Omit<RotationStatus, 'mood' | 'phase'> {
  const { total = 0, trusting = 0 } = status?.nodes ?? {}
  return { name, total, trusting, why: conditionOf(status?.conditions, telling)?.message ?? '' }
}

function poolStatus(pool: Readonly<MachineConfigPool>, nodes: readonly NodeStatus[]): PoolStatus {
  const { metadata, spec, status } = pool
  const state = stateOf(pool)
  return {
    name: metadata.name,
    state,
    updated: status?.updatedMachineCount ?? 0,
    total: status?.machineCount ?? nodes.length,
    ...(spec.configuration?.name !== undefined && { config: spec.configuration.name }),
    why: state === 'Updated' ? '' : whyOf(pool),
    nodes,
  }
}

function stateOf({ spec, status }: Readonly<MachineConfigPool>): PoolStatus['state'] {
  const has = (type: string): boolean => isCondition(status?.conditions, type)
  if (spec.paused) return 'Paused'
  if (has(poolConditions.degraded) || has(poolConditions.renderDegraded)) return 'Degraded'
  const seen = status?.configuration?.name
  // What was rendered just now, the rollout may not have seen yet.
  if (has(poolConditions.updated) && seen === spec.configuration?.name) return 'Updated'
  return seen === undefined || seen === '' ? 'Starting' : 'Updating'
}

/** What blocks rendering comes before what blocks a rollout. */
function whyOf({ status }: Readonly<MachineConfigPool>): string {
  const { updated, updating, renderDegraded, degraded } = poolConditions
  for (const type of [renderDegraded, updating, updated, degraded]) {
    const condition = conditionOf(status?.conditions, type)
    const isTrouble = condition?.status === (type === updated ? 'False' : 'True')
    const counts = type === updating || isTrouble
    if (counts && condition?.message) return condition.message
  }
  return ''
}

function nodeStatus(
  node: Readonly<Node>,
  { spec }: Readonly<MachineConfigPool>,
  progress: Readonly<MachineConfigNode> | undefined,
): NodeStatus {
  const facts = factsOf(node)
  const drained = conditionOf(progress?.status?.conditions, nodeConditions.drained)
  const doing =
    outOfService(facts) ?? waitingFor(spec, facts) ?? underWay(facts, drainTrouble(drained))
  const fault = faultText(node)
  return {
    name: facts.name,
    ...(facts.current !== undefined && { config: facts.current }),
    ...doing,
    ...(fault !== undefined && { doing: `${doing.doing}, ${fault}` }),
  }
}

type Doing = Pick<NodeStatus, 'mood' | 'doing' | 'why'>

/** Machines that are not there, or cannot go on. */
function outOfService(facts: NodeFacts): Doing | undefined {
  if (facts.problems.some(({ kind }) => kind === 'NotReady')) {
    return isDone(facts) ? { mood: 'bad', doing: 'not ready' } : { mood: 'busy', doing: 'reboots' }
  }
  if (!isDegraded(facts)) return undefined
  return { mood: 'bad', doing: 'failed', ...(facts.reason !== undefined && { why: facts.reason }) }
}

/** Nodes that have finished one update while their pool's next one has not reached them. */
function waitingFor(
  { configuration, paused }: MachineConfigPool['spec'],
  facts: NodeFacts,
): Doing | undefined {
  const target = configuration?.name
  if (!isIdle(facts) || target === undefined || facts.current === target) return undefined
  return { mood: 'waiting', doing: paused ? 'waits: the pool is paused' : 'waits for its turn' }
}

const isCordoned = ({ problems }: NodeFacts): boolean =>
  problems.some(({ kind }) => kind === 'cordoned')

const isIdle = (facts: NodeFacts): boolean => isDone(facts) && !facts.draining && !isCordoned(facts)

function underWay(facts: NodeFacts, trouble: string | undefined): Doing {
  if (facts.draining) {
    return { mood: 'busy', doing: 'drains', ...(trouble !== undefined && { why: trouble }) }
  }
  if (isDone(facts)) {
    return isCordoned(facts)
      ? { mood: 'bad', doing: 'cordoned by a user' }
      : { mood: 'well', doing: 'done' }
  }
  if (facts.current === undefined) return { mood: 'busy', doing: 'joins' }
  const isBack = facts.current === facts.desired
  return { mood: 'busy', doing: isBack ? 'comes back' : 'applies its config' }
}

const order = ['master', 'worker']

function builtInFirst(a: Readonly<MachineConfigPool>, b: Readonly<MachineConfigPool>): number {
  const rank = ({ metadata }: Readonly<MachineConfigPool>): number =>
    (order.indexOf(metadata.name) + order.length + 1) % (order.length + 1)
  return rank(a) - rank(b) || byName(a, b)
}

const byName = (a: Readonly<KubeObject>, b: Readonly<KubeObject>): number =>
  a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true })
