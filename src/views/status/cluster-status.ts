import type { KubeObject } from '@machinist/core/objects/resource'
import type { Node } from '@machinist/kube/kinds/core'
import {
  conditionOf,
  inputOfDegraded,
  isCondition,
  nodeConditions,
  poolConditions,
  rotationConditions,
} from '../../api/conditions.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import type {
  ControllerConfig,
  MachineConfigNode,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { drainBlockReason } from '../../fleet/rollout/blockers.ts'
import { poolOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import type { NodeFacts } from '../../fleet/rollout/node-facts.ts'
import { factsOf, isDegraded, isDone } from '../../fleet/rollout/node-facts.ts'
import { faultText } from './node-fault.ts'

/** The status of a cluster, as data. */
export interface ClusterStatus {
  readonly pools: readonly PoolStatus[]
  /** Rotations in progress or degraded. */
  readonly rotations: readonly RotationStatus[]
  /** Inputs that the operator cannot use. */
  readonly badInputs: readonly InputStatus[]
}

export interface InputStatus {
  readonly name: string
  readonly why: string
}

export interface RotationStatus {
  readonly name: string
  readonly state: 'progressing' | 'failing'
  readonly phase: string
  readonly trusting: number
  readonly total: number
  /** The nodes or the problem that delay it. */
  readonly why: string
}

export interface PoolStatus {
  readonly name: string
  readonly state: 'Updated' | 'Updating' | 'Paused' | 'Degraded' | 'Starting'
  readonly updated: number
  readonly total: number
  readonly config?: string
  /** The reason of the state; can be empty. */
  readonly why: string
  readonly nodes: readonly NodeStatus[]
}

export interface NodeStatus {
  readonly name: string
  readonly state: 'ok' | 'waiting' | 'progressing' | 'failing'
  /** The current activity in a few words. */
  readonly activity: string
  readonly config?: string
  /** Details: what blocks the drain, or why the update failed. */
  readonly why?: string
}

interface ClusterStatusFacts {
  readonly pools: readonly Readonly<MachineConfigPool>[]
  readonly nodes: readonly Readonly<Node>[]
  readonly machineConfigNode: (name: string) => Readonly<MachineConfigNode> | undefined
  readonly rotations: readonly Readonly<TrustRotation>[]
  readonly controllerConfigs: readonly Readonly<ControllerConfig>[]
}

/** Pure: the status of a cluster for display. */
export function clusterStatus(facts: ClusterStatusFacts): ClusterStatus {
  const { pools, nodes, machineConfigNode, rotations, controllerConfigs } = facts
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

/** A rotation that creates its first CA or is completed is not shown. */
function rotationStatus(rotation: Readonly<TrustRotation>): RotationStatus[] {
  const { phase = 'Completed', retiring = [], conditions } = rotation.status ?? {}
  if (isCondition(conditions, rotationConditions.degraded)) {
    return [
      {
        ...rotationFacts(rotation, rotationConditions.degraded),
        state: 'failing',
        phase: 'Degraded',
      },
    ]
  }
  if (phase === 'Completed' || retiring.length === 0) return []
  return [
    { ...rotationFacts(rotation, rotationConditions.progressing), state: 'progressing', phase },
  ]
}

function rotationFacts(
  { metadata: { name }, status }: Readonly<TrustRotation>,
  conditionType: string,
): Omit<RotationStatus, 'state' | 'phase'> {
  const { total = 0, trusting = 0 } = status?.nodes ?? status?.userData ?? {}
  return {
    name,
    total,
    trusting,
    why: conditionOf(status?.conditions, conditionType)?.message ?? '',
  }
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
  const observed = status?.configuration?.name
  // The rollout controller may not have observed the newest rendered config yet.
  if (has(poolConditions.updated) && observed === spec.configuration?.name) return 'Updated'
  return observed === undefined || observed === '' ? 'Starting' : 'Updating'
}

/** A problem of rendering takes precedence over one of the rollout. */
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
  const activity =
    outOfService(facts) ?? waitingFor(spec, facts) ?? underWay(facts, drainBlockReason(drained))
  const fault = faultText(node)
  return {
    name: facts.name,
    ...(facts.current !== undefined && { config: facts.current }),
    ...activity,
    ...(fault !== undefined && { activity: `${activity.activity}, ${fault}` }),
  }
}

type NodeActivity = Pick<NodeStatus, 'state' | 'activity' | 'why'>

/** Machines that are down, or whose update failed. */
function outOfService(facts: NodeFacts): NodeActivity | undefined {
  if (facts.problems.some(({ kind }) => kind === 'NotReady')) {
    return isDone(facts)
      ? { state: 'failing', activity: 'not ready' }
      : { state: 'progressing', activity: 'rebooting' }
  }
  if (!isDegraded(facts)) return undefined
  return {
    state: 'failing',
    activity: 'failed',
    ...(facts.reason !== undefined && { why: facts.reason }),
  }
}

/** Nodes that are done with one update and wait for the next one of their pool. */
function waitingFor(
  { configuration, paused }: MachineConfigPool['spec'],
  facts: NodeFacts,
): NodeActivity | undefined {
  const target = configuration?.name
  if (!isIdle(facts) || target === undefined || facts.current === target) return undefined
  return {
    state: 'waiting',
    activity: paused ? 'waiting: the pool is paused' : 'waiting for its turn',
  }
}

const isCordoned = ({ problems }: NodeFacts): boolean =>
  problems.some(({ kind }) => kind === 'cordoned')

const isIdle = (facts: NodeFacts): boolean => isDone(facts) && !facts.draining && !isCordoned(facts)

function underWay(facts: NodeFacts, trouble: string | undefined): NodeActivity {
  if (facts.draining) {
    return {
      state: 'progressing',
      activity: 'draining',
      ...(trouble !== undefined && { why: trouble }),
    }
  }
  if (isDone(facts)) {
    return isCordoned(facts)
      ? { state: 'failing', activity: 'cordoned by a user' }
      : { state: 'ok', activity: 'done' }
  }
  if (facts.current === undefined) return { state: 'progressing', activity: 'joining' }
  const isBack = facts.current === facts.desired
  return { state: 'progressing', activity: isBack ? 'completing' : 'applying its config' }
}

const order = ['master', 'worker']

function builtInFirst(a: Readonly<MachineConfigPool>, b: Readonly<MachineConfigPool>): number {
  const rank = ({ metadata }: Readonly<MachineConfigPool>): number =>
    (order.indexOf(metadata.name) + order.length + 1) % (order.length + 1)
  return rank(a) - rank(b) || byName(a, b)
}

const byName = (a: Readonly<KubeObject>, b: Readonly<KubeObject>): number =>
  a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true })
