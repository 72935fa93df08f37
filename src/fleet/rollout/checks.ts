import type { Check, Decided } from '@machinist/kube/controller/decision-chain'
import { DecisionChain } from '@machinist/kube/controller/decision-chain'
import { nodeStates, rebooting } from '../../api/annotations.ts'
import { pools } from '../../api/names.ts'
import { holdMessage } from '../pools/hold.ts'
import type { NodeFacts, RolloutTarget } from './node-facts.ts'
import { isDegraded, isInPlace, isReady, isTargetedAt, phaseOf } from './node-facts.ts'
import type { RolloutSituation } from './situation.ts'
import { roomIn } from './situation.ts'
import { andMore, formatProblem, formatTarget } from './wording.ts'

/** Why a check stops a pool or a node. The text is built only when it is read: a rollout checks thousands of nodes. */
export interface RolloutRefusal {
  readonly because: () => string
}

export type RolloutCheck<Subject> = Check<Subject, RolloutRefusal>
export type RolloutChain<Subject> = DecisionChain<Subject, RolloutRefusal>

interface CheckSpec<Subject> {
  readonly name: string
  readonly holds: (subject: Subject) => boolean
  /** Why it does not hold. */
  readonly fails: (subject: Subject) => string
  /** Why it holds. */
  readonly passes: (subject: Subject) => string
}

export function rolloutCheck<Subject>(spec: CheckSpec<Subject>): RolloutCheck<Subject> {
  const { name, holds, fails, passes } = spec
  return {
    name,
    decide: (subject) => (holds(subject) ? undefined : { because: () => fails(subject) }),
    passes,
  }
}

export const rolloutChain = <Subject>(
  checks: readonly RolloutCheck<Subject>[],
): RolloutChain<Subject> => new DecisionChain(checks, ({ because }) => because())

/** Whether any node of the pool may be written. */
export const poolChain = rolloutChain<RolloutSituation>([
  rolloutCheck({
    name: 'the nodeSelector is valid',
    holds: ({ facts }) => facts.selectorProblem === undefined,
    fails: ({ facts }) => facts.selectorProblem!,
    passes: ({ facts }) => `the pool has ${facts.nodes.length} nodes`,
  }),
  rolloutCheck({
    name: 'the pool has a rendered config',
    holds: ({ target }) => target !== undefined,
    fails: () => 'no config is rendered for the pool yet; see RenderDegraded',
    passes: ({ target }) => formatTarget(target!),
  }),
  rolloutCheck({
    name: 'no other controller configured the nodes',
    holds: ({ facts }) => facts.hold === undefined,
    fails: ({ facts: { hold, pool } }) => holdMessage(pool.metadata.name, hold!),
    passes: () => 'the nodes run configs of Machinist, or configs with the same content',
  }),
  rolloutCheck({
    name: 'the pool is not being deleted',
    holds: ({ facts }) => facts.pool.metadata.deletionTimestamp === undefined,
    fails: () => 'the pool is being deleted',
    passes: () => 'the pool has no deletionTimestamp',
  }),
  rolloutCheck({
    name: 'the pool is not paused',
    holds: ({ facts }) => facts.pool.spec.paused !== true,
    fails: () => 'spec.paused is true',
    passes: () => 'spec.paused is not set',
  }),
  rolloutCheck({
    name: 'the OS image is built',
    holds: ({ facts: { image } }) => image.type === 'not layered' || image.type === 'built',
    fails: ({ facts: { image } }) => ('because' in image ? image.because : ''),
    passes: ({ facts: { image } }) => `the pool is ${image.type}`,
  }),
  rolloutCheck({
    name: 'maxUnavailable is valid',
    holds: ({ budget }) => !('problem' in budget),
    fails: ({ budget }) => ('problem' in budget ? budget.problem : ''),
    passes: ({ budget }) => `${budgetNodes(budget)} nodes may be unavailable at once`,
  }),
])

/** Whether healthy nodes may be disrupted. Broken nodes are repaired regardless of these checks. */
export const roundChain = rolloutChain<RolloutSituation>([
  rolloutCheck({
    name: 'no other pool goes first',
    holds: ({ facts }) => facts.waitReason === undefined,
    fails: ({ facts }) => facts.waitReason!,
    passes: () => 'the pool waits for no other pool',
  }),
  rolloutCheck({
    name: 'fewer nodes failed than the limit',
    holds: ({ failed, stopAfter }) => failed.length < stopAfter,
    fails: failuresText,
    passes: (situation) =>
      situation.failed.length === 0 ? 'none failed' : failuresText(situation),
  }),
  rolloutCheck({
    name: 'the budget has room',
    holds: (situation) => roomIn(situation) > 0,
    fails: budgetText,
    passes: budgetText,
  }),
])

/** Pool and round checks together, for explanations. */
export const wholePoolChain = rolloutChain([...poolChain.checks, ...roundChain.checks])

/** A node that may get the target of its pool. */
export interface RolloutCandidate {
  readonly node: NodeFacts
  readonly target: RolloutTarget
  readonly situation: RolloutSituation
  /** The results of the pool and round chains, evaluated once for all nodes. */
  readonly poolRefusal: Decided<RolloutRefusal> | undefined
  readonly roundRefusal: Decided<RolloutRefusal> | undefined
  /** Whether another node of the pool can be updated before the node that runs the operator. */
  readonly othersCanGo: boolean
}

/** The update disrupts no service: the node is broken, already being updated, or has its turn. */
export function needsNoBudget({ node, situation }: RolloutCandidate): boolean {
  const isBusy = node.state === nodeStates.working || node.state === rebooting
  const isAway = (isDegraded(node) || isBusy) && !isStillServing(node, situation)
  return isAway || situation.open.get(node.name)?.unseen === 'retry'
}

/** Degraded or repairing itself, without a turn: its pods still run, and an update would evict them. */
export function isStillServing(node: NodeFacts, { open }: Pick<RolloutSituation, 'open'>): boolean {
  const isUnhealthy = isDegraded(node) || node.state === nodeStates.working
  return isUnhealthy && isReady(node) && isInPlace(node) && !open.has(node.name)
}

/** The daemon requests a drain for an update that no turn of the pool covers; the drain controller waits for a turn. */
function needsTurn({ node, situation }: RolloutCandidate): boolean {
  return node.draining && isInPlace(node) && !situation.open.has(node.name)
}

/** Whether the node may get the target now. The budget is checked last, for all nodes together. */
export const nodeChain = rolloutChain<RolloutCandidate>([
  rolloutCheck({
    name: 'the node needs the config',
    holds: (candidate) => !isTargetedAt(candidate.node, candidate.target) || needsTurn(candidate),
    fails: ({ node, target }) => targetedText(node, target),
    passes: (candidate) => {
      const { node, target } = candidate
      return needsTurn(candidate)
        ? `the node requests a drain without a turn, in ${node.desired ?? 'no config'}`
        : `desiredConfig is ${node.desired ?? 'not set'}, not ${target.config}`
    },
  }),
  rolloutCheck({
    name: 'the pool may be updated',
    holds: ({ poolRefusal }) => poolRefusal === undefined,
    fails: ({ poolRefusal }) => refusalText(poolRefusal!),
    passes: () => 'nothing blocks the pool',
  }),
  rolloutCheck({
    name: 'the node is in the pool that it booted into',
    holds: ({ node, situation }) => !situation.facts.newcomers?.has(node.name),
    fails: ({ node, situation }) =>
      `the node booted into pool ${situation.facts.newcomers!.get(node.name)!.pool} and gets the labels of that pool first`,
    passes: () => 'no other pool served its first config',
  }),
  rolloutCheck({
    name: 'the newest state of the node is known',
    holds: ({ node, situation }) => situation.open.get(node.name)?.unseen !== 'wait',
    fails: () => 'the node has a turn, and the cache does not show the result yet',
    passes: () => 'the cache is newer than its last turn',
  }),
  rolloutCheck({
    name: 'the node is ready, or needs no budget',
    holds: (candidate) => isReady(candidate.node) || needsNoBudget(candidate),
    fails: ({ node }) => node.problems.map(formatProblem).join(', '),
    passes: (candidate) =>
      needsNoBudget(candidate)
        ? 'the node is out of service already: a repair needs no budget'
        : 'the node is ready',
  }),
  rolloutCheck({
    name: 'healthy nodes may be updated',
    holds: (candidate) =>
      candidate.roundRefusal === undefined ||
      needsNoBudget(candidate) ||
      isStillServing(candidate.node, candidate.situation),
    fails: ({ roundRefusal }) => refusalText(roundRefusal!),
    passes: ({ roundRefusal }) =>
      roundRefusal
        ? `the node is exempt although ${refusalText(roundRefusal)}`
        : 'nothing blocks them',
  }),
  rolloutCheck({
    name: 'the node of the operator is last',
    holds: (candidate) =>
      needsNoBudget(candidate) || !isOperatorNode(candidate) || !candidate.othersCanGo,
    fails: () => 'the node runs the operator, and other nodes can be updated first',
    passes: (candidate) =>
      isOperatorNode(candidate)
        ? 'no other node can be updated first'
        : 'the node does not run the operator',
  }),
])

export function isOperatorNode({ node, situation }: RolloutCandidate): boolean {
  const { pool, operatorNode } = situation.facts
  return pool.metadata.name === pools.master && operatorNode === node.name
}

const refusalText = ({ check, result }: Decided<RolloutRefusal>): string =>
  `"${check}" fails: ${result.because()}`

const budgetNodes = (budget: RolloutSituation['budget']): number =>
  'problem' in budget ? 0 : budget.nodes

function failuresText({ failed, stopAfter }: RolloutSituation): string {
  return `${failed.length} failed (${andMore(failed.map(({ name }) => name))}); the rollout stops at ${stopAfter}`
}

function budgetText({ disrupted, budget }: RolloutSituation): string {
  return `${disrupted.size} of at most ${budgetNodes(budget)} nodes are out of service or being updated`
}

function targetedText(node: NodeFacts, target: RolloutTarget): string {
  const phase = phaseOf(node, target)
  if (phase === 'updated') return `the node runs ${target.config}`
  const why = node.reason === undefined ? '' : `: ${node.reason}`
  return phase === 'failed'
    ? `desiredConfig is ${target.config} and the update failed${why}`
    : `desiredConfig is ${target.config} and the update is in progress`
}
