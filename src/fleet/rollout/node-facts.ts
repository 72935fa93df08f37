import {
  drainVerbs,
  nodeAnnotations,
  nodeStates,
  ownNodeAnnotations,
} from '../../api/annotations.ts'
import { nodeLabels } from '../../api/labels.ts'
import type { Node, NodeCondition, Taint } from '@machinist/kube/kinds/core'

/** What a rollout has to know of one node. */
export interface NodeFacts {
  readonly name: string
  /** The resourceVersion that all of this was read from. */
  readonly version: string
  readonly createdAt: string
  readonly zone?: string
  readonly current?: string
  readonly desired?: string
  readonly currentImage?: string
  readonly desiredImage?: string
  readonly state?: string
  readonly reason?: string
  /** Why it is not ready; none when it is. */
  readonly problems: readonly NodeProblem[]
  /** Its daemon asked for a drain, and the drain is not over. */
  readonly draining: boolean
  readonly topology?: string
  /** `from` of the last turn that was withdrawn; part of the facts so that the withdrawal starts a reconcile. */
  readonly withdrawnTurn?: string
  /** What it booted into, until the labels that go with it were seen to. */
  readonly firstPivot?: string
  readonly taints: readonly Taint[]
}

export interface NodeProblem {
  readonly kind: 'cordoned' | 'NotReady' | 'DiskPressure' | 'NetworkUnavailable'
  readonly since?: string
}

/** What the nodes of a pool shall run. A layered pool without an image waits for its build. */
export interface Target {
  readonly config: string
  readonly layered: boolean
  readonly image?: string
}

/** Informers hand out frozen objects, so what was read of one stays true. */
const known = new WeakMap<Readonly<Node>, NodeFacts>()

export function factsOf(node: Readonly<Node>): NodeFacts {
  const facts = known.get(node) ?? read(node)
  known.set(node, facts)
  return facts
}

function read(node: Readonly<Node>): NodeFacts {
  const { name, resourceVersion = '', creationTimestamp = '', labels = {} } = node.metadata
  const said = (key: string): string | undefined => node.metadata.annotations?.[key]
  const desiredDrain = said(nodeAnnotations.desiredDrain)
  return {
    name,
    version: resourceVersion,
    createdAt: creationTimestamp,
    ...present('zone', labels[nodeLabels.zone]),
    ...present('current', said(nodeAnnotations.currentConfig)),
    ...present('desired', said(nodeAnnotations.desiredConfig)),
    ...present('currentImage', said(nodeAnnotations.currentImage)),
    ...present('desiredImage', said(nodeAnnotations.desiredImage)),
    ...present('state', said(nodeAnnotations.state)),
    ...present('reason', said(nodeAnnotations.reason)),
    ...present('topology', said(nodeAnnotations.controlPlaneTopology)),
    ...present('withdrawnTurn', said(ownNodeAnnotations.withdrawnTurn)),
    ...(said(nodeAnnotations.customPoolLabelsApplied) === undefined &&
      present('firstPivot', said(nodeAnnotations.firstPivotConfig))),
    problems: problemsOf(node),
    draining:
      desiredDrain !== undefined &&
      desiredDrain.startsWith(`${drainVerbs.drain}-`) &&
      desiredDrain !== said(nodeAnnotations.lastAppliedDrain),
    taints: node.spec?.taints ?? [],
  }
}

/** Annotations that are there but empty say as little as absent ones. */
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
  for (const [type, wanted, kind] of expected) {
    const condition = status?.conditions?.find((each) => each.type === type)
    if (condition && condition.status !== wanted) problems.push({ kind, ...sinceOf(condition) })
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

/** Runs what it was told to run, whatever it says about it. */
export const isInPlace = (node: NodeFacts): boolean => isConfigDone(node) && isImageDone(node)

export const isDone = (node: NodeFacts): boolean =>
  isInPlace(node) && node.state === nodeStates.done

export const isDegraded = ({ state }: NodeFacts): boolean =>
  state === nodeStates.degraded || state === nodeStates.unreconcilable

/** Could not come to where it was told to go; it still runs what it ran before. */
const isFailing = (node: NodeFacts): boolean => node.current !== node.desired && isDegraded(node)

/** As the counter of the pool means it: a failing node still serves. */
export const isUnavailable = (node: NodeFacts): boolean =>
  !isReady(node) || (!isDone(node) && !isFailing(node))

/** As a budget means it: anything but a node that serves, in the configuration it was told. */
export const isDisrupted = (node: NodeFacts): boolean => !isReady(node) || !isDone(node)

/** Was told to go to the target, whether or not it is there. */
export function isToldTo(node: NodeFacts, { config, layered, image }: Target): boolean {
  return node.desired === config && node.desiredImage === (layered ? image : undefined)
}

export function isDoneAt(node: NodeFacts, target: Target): boolean {
  if (target.layered && target.image === undefined) return false
  return isDone(node) && isToldTo(node, target)
}

/** In one word where a node is on its way to the target. */
export type Phase = 'updated' | 'waiting' | 'told' | 'updating' | 'failed' | 'degraded'

export function phaseOf(node: NodeFacts, target: Target): Phase {
  if (isDegraded(node)) return isToldTo(node, target) ? 'failed' : 'degraded'
  if (isDoneAt(node, target)) return 'updated'
  if (isDone(node)) return 'waiting'
  return node.state === nodeStates.done ? 'told' : 'updating'
}
