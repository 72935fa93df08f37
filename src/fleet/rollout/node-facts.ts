import type { Node, NodeCondition, Taint } from '@machinist/kube/kinds/core'
import {
  drainVerbs,
  nodeAnnotations,
  nodeStates,
  ownNodeAnnotations,
} from '../../api/annotations.ts'
import { nodeLabels } from '../../api/labels.ts'

/** The fields of a Node that a rollout reads. */
export interface NodeFacts {
  readonly name: string
  /** The resourceVersion of the Node object. */
  readonly version: string
  readonly createdAt: string
  readonly zone?: string
  readonly current?: string
  readonly desired?: string
  readonly currentImage?: string
  readonly desiredImage?: string
  readonly state?: string
  readonly reason?: string
  /** Why the node is not ready; empty if it is. */
  readonly problems: readonly NodeProblem[]
  /** Its daemon requests a drain that is not finished. */
  readonly draining: boolean
  readonly topology?: string
  /** `from` of the last turn that was withdrawn; part of the facts so that the withdrawal starts a reconcile. */
  readonly withdrawnTurn?: string
  /** The config that the node booted into, until its custom pool labels are applied. */
  readonly firstPivot?: string
  readonly taints: readonly Taint[]
}

export interface NodeProblem {
  readonly kind: 'cordoned' | 'NotReady' | 'DiskPressure' | 'NetworkUnavailable'
  readonly since?: string
}

/** The config and image that the nodes of a pool are to run. A layered pool without an image waits for its build. */
export interface RolloutTarget {
  readonly config: string
  readonly layered: boolean
  readonly image?: string
}

/** Informers return frozen objects, so facts can be cached by object. */
const cache = new WeakMap<Readonly<Node>, NodeFacts>()

export function factsOf(node: Readonly<Node>): NodeFacts {
  const facts = cache.get(node) ?? read(node)
  cache.set(node, facts)
  return facts
}

function read(node: Readonly<Node>): NodeFacts {
  const { name, resourceVersion = '', creationTimestamp = '', labels = {} } = node.metadata
  const annotation = (key: string): string | undefined => node.metadata.annotations?.[key]
  const desiredDrain = annotation(nodeAnnotations.desiredDrain)
  return {
    name,
    version: resourceVersion,
    createdAt: creationTimestamp,
    ...present('zone', labels[nodeLabels.zone]),
    ...present('current', annotation(nodeAnnotations.currentConfig)),
    ...present('desired', annotation(nodeAnnotations.desiredConfig)),
    ...present('currentImage', annotation(nodeAnnotations.currentImage)),
    ...present('desiredImage', annotation(nodeAnnotations.desiredImage)),
    ...present('state', annotation(nodeAnnotations.state)),
    ...present('reason', annotation(nodeAnnotations.reason)),
    ...present('topology', annotation(nodeAnnotations.controlPlaneTopology)),
    ...present('withdrawnTurn', annotation(ownNodeAnnotations.withdrawnTurn)),
    ...(annotation(nodeAnnotations.customPoolLabelsApplied) === undefined &&
      present('firstPivot', annotation(nodeAnnotations.firstPivotConfig))),
    problems: problemsOf(node),
    draining:
      desiredDrain !== undefined &&
      desiredDrain.startsWith(`${drainVerbs.drain}-`) &&
      desiredDrain !== annotation(nodeAnnotations.lastAppliedDrain),
    taints: node.spec?.taints ?? [],
  }
}

/** An empty annotation means the same as a missing one. */
function present<Key extends string>(
  key: Key,
  value: string | undefined,
): Partial<Record<Key, string>> {
  return value === undefined || value === '' ? {} : ({ [key]: value } as Record<Key, string>)
}

const expected = [
  ['Ready', 'True', 'NotReady'],
  ['DiskPressure', 'False', 'DiskPressure'],
  ['NetworkUnavailable', 'False', 'NetworkUnavailable'],
] as const

function problemsOf({ spec, status }: Readonly<Node>): NodeProblem[] {
  const problems: NodeProblem[] = []
  if (spec?.unschedulable) problems.push({ kind: 'cordoned', ...cordonedSince(spec.taints) })
  for (const [type, healthy, kind] of expected) {
    const condition = status?.conditions?.find((each) => each.type === type)
    if (condition && condition.status !== healthy) problems.push({ kind, ...sinceOf(condition) })
  }
  return problems
}

function cordonedSince(taints: readonly Taint[] = []): { since?: string } {
  const taint = taints.find(({ key }) => key === 'node.kubernetes.io/unschedulable')
  return taint?.timeAdded === undefined ? {} : { since: taint.timeAdded }
}

const sinceOf = ({ lastTransitionTime }: NodeCondition): { since?: string } =>
  lastTransitionTime ? { since: lastTransitionTime } : {}

export const isReady = (node: NodeFacts): boolean => node.problems.length === 0

const isConfigDone = ({ current, desired }: NodeFacts): boolean =>
  current !== undefined && current === desired

const isImageDone = ({ currentImage, desiredImage }: NodeFacts): boolean =>
  currentImage === desiredImage

/** Runs its desired config and image, regardless of the reported state. */
export const isInPlace = (node: NodeFacts): boolean => isConfigDone(node) && isImageDone(node)

export const isDone = (node: NodeFacts): boolean =>
  isInPlace(node) && node.state === nodeStates.done

export const isDegraded = ({ state }: NodeFacts): boolean =>
  state === nodeStates.degraded || state === nodeStates.unreconcilable

/** Failed to apply its desired config; it still runs the previous one. */
const isFailing = (node: NodeFacts): boolean => node.current !== node.desired && isDegraded(node)

/** As counted in the pool's status: a failing node still serves. */
export const isUnavailable = (node: NodeFacts): boolean =>
  !isReady(node) || (!isDone(node) && !isFailing(node))

/** As counted against the budget: every node except one that serves in its desired config. */
export const isDisrupted = (node: NodeFacts): boolean => !isReady(node) || !isDone(node)

/** The target is its desired config and image, whether or not it runs them. */
export function isTargetedAt(node: NodeFacts, { config, layered, image }: RolloutTarget): boolean {
  return node.desired === config && node.desiredImage === (layered ? image : undefined)
}

export function isDoneAt(node: NodeFacts, target: RolloutTarget): boolean {
  if (target.layered && target.image === undefined) return false
  return isDone(node) && isTargetedAt(node, target)
}

/** The progress of a node to the target. */
export type NodePhase = 'updated' | 'waiting' | 'targeted' | 'updating' | 'failed' | 'degraded'

export function phaseOf(node: NodeFacts, target: RolloutTarget): NodePhase {
  if (isDegraded(node)) return isTargetedAt(node, target) ? 'failed' : 'degraded'
  if (isDoneAt(node, target)) return 'updated'
  if (isDone(node)) return 'waiting'
  return node.state === nodeStates.done ? 'targeted' : 'updating'
}
