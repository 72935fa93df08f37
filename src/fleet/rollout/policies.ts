import { nodeStates, rebooting } from '../../api/annotations.ts'
import { pools } from '../../api/names.ts'
import { holdMessage } from '../pools/hold.ts'
import type { NodeFacts, Target } from './node-facts.ts'
import { isDegraded, isInPlace, isReady, isToldTo, phaseOf } from './node-facts.ts'
import { firstFailure } from './policy.ts'
import type { Policy } from './policy.ts'
import type { Situation } from './situation.ts'
import { roomIn } from './situation.ts'
import { andMore, problemInWords, targetInWords } from './wording.ts'

/** May anything be told to the nodes of this pool? */
export const poolPolicies: readonly Policy<Situation>[] = [
  {
    name: 'its selector selects',
    holds: ({ facts }) => facts.selectorProblem === undefined,
    because: ({ facts }) => facts.selectorProblem ?? `it has ${facts.nodes.length} nodes`,
  },
  {
    name: 'it has a configuration',
    holds: ({ target }) => target !== undefined,
    because: ({ target }) =>
      target ? targetInWords(target) : 'nothing was rendered for it yet; see RenderDegraded',
  },
  {
    name: 'no other controller configured its nodes',
    holds: ({ facts }) => facts.hold === undefined,
    because: ({ facts: { hold, pool } }) =>
      hold
        ? holdMessage(pool.metadata.name, hold)
        : 'its nodes are in configurations of Machinist, or in the same content',
  },
  {
    name: 'it stays',
    holds: ({ facts }) => facts.pool.metadata.deletionTimestamp === undefined,
    because: (_, holds) => (holds ? 'it is not being deleted' : 'it is being deleted'),
  },
  {
    name: 'it is not paused',
    holds: ({ facts }) => facts.pool.spec.paused !== true,
    because: (_, holds) => (holds ? 'spec.paused is not set' : 'spec.paused is true'),
  },
  {
    name: 'its image is built',
    holds: ({ facts: { image } }) => image.is === 'not layered' || image.is === 'built',
    because: ({ facts: { image } }) => ('because' in image ? image.because : `it is ${image.is}`),
  },
  {
    name: 'its budget is understood',
    holds: ({ budget }) => !('problem' in budget),
    because: ({ budget }) =>
      'problem' in budget ? budget.problem : `${budget.nodes} at a time may be out of service`,
  },
]

/** May nodes that serve be disturbed? Broken ones may be repaired whatever these say. */
export const roundPolicies: readonly Policy<Situation>[] = [
  {
    name: 'its neighbours are done',
    holds: ({ facts }) => facts.behind === undefined,
    because: ({ facts }) => facts.behind ?? 'it waits for no other pool',
  },
  {
    name: 'few nodes failed',
    holds: ({ failed, stopAfter }) => failed.length < stopAfter,
    because: ({ failed, stopAfter }) =>
      failed.length === 0
        ? 'none failed'
        : `${failed.length} failed (${andMore(failed.map(({ name }) => name))}), it stops at ${stopAfter}`,
  },
  {
    name: 'its budget has room',
    holds: (situation) => roomIn(situation) > 0,
    because: ({ disrupted, budget }) => {
      const nodes = 'problem' in budget ? 0 : budget.nodes
      return `${disrupted.size} of at most ${nodes} are out of service or on their way`
    },
  },
]

/** One node in its pool. */
export interface Candidate {
  readonly node: NodeFacts
  readonly target: Target
  readonly situation: Situation
  /** Worked out once for all nodes: the first pool policy, and the first round policy, that fail. */
  readonly poolFailure: Policy<Situation> | undefined
  readonly roundFailure: Policy<Situation> | undefined
  /** Whether another node of the pool could go before the operator's own. */
  readonly othersCanGo: boolean
}

/** Telling it takes no service away that was there: it is broken, on its way elsewhere, or has its turn already. */
export function isFree({ node, situation }: Candidate): boolean {
  const isBusy = node.state === nodeStates.working || node.state === rebooting
  const isAway = (isDegraded(node) || isBusy) && !isStillServing(node, situation)
  return isAway || situation.open.get(node.name)?.unseen === 'retry'
}

/** Broken, or mending itself, but told nothing that could take its pods away: an update would. */
export function isStillServing(node: NodeFacts, { open }: Pick<Situation, 'open'>): boolean {
  const isUnwell = isDegraded(node) || node.state === nodeStates.working
  return isUnwell && isReady(node) && isInPlace(node) && !open.has(node.name)
}

/** Its daemon has to drain it, for an update that this pool did not ask for: the drain controller waits for a turn. */
function asksForTurn({ node, situation }: Candidate): boolean {
  return node.draining && isInPlace(node) && !situation.open.has(node.name)
}

/** May this node be told now? Whether there is room for it is the last question, and asked for all nodes together. */
export const nodePolicies: readonly Policy<Candidate>[] = [
  {
    name: 'it needs the configuration',
    holds: (candidate) => !isToldTo(candidate.node, candidate.target) || asksForTurn(candidate),
    because: (candidate, holds) => {
      const { node, target } = candidate
      if (!holds) return toldInWords(node, target)
      return asksForTurn(candidate)
        ? `it asks for a drain without a turn, in ${node.desired ?? 'no configuration'}`
        : `it is told to run ${node.desired ?? 'nothing'}, not ${target.config}`
    },
  },
  {
    name: 'its pool goes on',
    holds: ({ poolFailure }) => poolFailure === undefined,
    because: ({ poolFailure, situation }) =>
      poolFailure
        ? `${poolFailure.name} does not hold: ${poolFailure.because(situation, false)}`
        : 'nothing holds the pool up',
  },
  {
    name: 'it is in the pool that it booted into',
    holds: ({ node, situation }) => !situation.facts.newcomers?.has(node.name),
    because: ({ node, situation }) => {
      const newcomer = situation.facts.newcomers?.get(node.name)
      return newcomer
        ? `it booted into pool ${newcomer.pool}, and gets the labels of that first`
        : 'it is'
    },
  },
  {
    name: 'its newest state is known',
    holds: ({ node, situation }) => situation.open.get(node.name)?.unseen !== 'wait',
    because: (_, holds) =>
      holds ? 'it is' : 'it has its turn already, and what became of that is not seen yet',
  },
  {
    name: 'it can be told',
    holds: (candidate) => isReady(candidate.node) || isFree(candidate),
    because: (candidate) => {
      if (isFree(candidate)) return 'it is out of service anyway: a repair needs no budget'
      const { problems } = candidate.node
      return problems.length === 0 ? 'it is ready' : problems.map(problemInWords).join(', ')
    },
  },
  {
    name: 'healthy nodes may go',
    holds: (candidate) =>
      candidate.roundFailure === undefined ||
      isFree(candidate) ||
      isStillServing(candidate.node, candidate.situation),
    because: ({ roundFailure, situation }) =>
      roundFailure
        ? `${roundFailure.name} does not hold: ${roundFailure.because(situation, false)}`
        : 'nothing holds them up',
  },
  {
    name: "the operator's own node comes last",
    holds: (candidate) => isFree(candidate) || !isOperatorsOwn(candidate) || !candidate.othersCanGo,
    because: (candidate, holds) => {
      if (!holds) return 'it runs the operator, and other nodes can go first'
      return isOperatorsOwn(candidate) ? 'no other node can go' : 'it does not run the operator'
    },
  },
]

export function isOperatorsOwn({ node, situation }: Candidate): boolean {
  const { pool, operatorNode } = situation.facts
  return pool.metadata.name === pools.master && operatorNode === node.name
}

export const failureOf = (
  chain: readonly Policy<Situation>[],
  situation: Situation,
): Policy<Situation> | undefined => firstFailure(chain, situation)

function toldInWords(node: NodeFacts, target: Target): string {
  const phase = phaseOf(node, target)
  if (phase === 'updated') return `it runs ${target.config}`
  const why = node.reason === undefined ? '' : `: ${node.reason}`
  return phase === 'failed'
    ? `it was told to run ${target.config} and failed${why}`
    : `it was told to run ${target.config} and is on its way`
}
