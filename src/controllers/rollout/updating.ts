import type { ConditionReport } from '../../api/conditions.ts'
import { poolConditions } from '../../api/conditions.ts'
import { holdMessage } from '../../fleet/pools/hold.ts'
import { blockersIn } from '../../fleet/rollout/blockers.ts'
import type { RolloutPlan } from './decide.ts'
import { expectedEnd } from '../../fleet/rollout/eta.ts'
import type { Target } from '../../fleet/rollout/node-facts.ts'
import { isDoneAt } from '../../fleet/rollout/node-facts.ts'
import { failureOf, poolPolicies } from '../../fleet/rollout/policies.ts'
import { updatingReasons as reasons } from './reasons.ts'
import { isAllUpdated, roomIn } from '../../fleet/rollout/situation.ts'
import { mostTurns } from '../../fleet/rollout/turns.ts'
import { andMore, targetInWords } from '../../fleet/rollout/wording.ts'

/** The Updating condition: how far the rollout is, and if it does not go on, why. */
export function updatingReport(plan: RolloutPlan): ConditionReport {
  const { situation } = plan
  const { target, facts } = situation
  const { image, pool } = facts
  if (!target) return no(reasons.notConfigured, 'Nothing was rendered for this pool yet')
  if (isAllUpdated(situation)) return no('', '')
  if (facts.hold) return no(reasons.held, holdMessage(pool.metadata.name, facts.hold))
  const line = targetInWords(target)
  if (image.is === 'failed') return no(reasons.buildFailed, `Pool ${image.because}`)
  if (image.is === 'awaited') {
    const { because, pausedBecause } = image
    const why = pool.spec.paused ? `Pool is paused; ${pausedBecause}` : `Pool is ${because}`
    return yes(reasons.building, why)
  }
  if (pool.spec.paused) return no(reasons.paused, `Pool is paused; will not update to ${line}`)
  return underWay(plan, target, line)
}

function underWay(plan: RolloutPlan, target: Target, line: string): ConditionReport {
  const { situation } = plan
  const { counts, facts, failed, drifted, stopAfter } = situation
  const progress = `${counts.updated} of ${counts.machine} nodes are updated to ${line}`
  const poolFailure = failureOf(poolPolicies, situation)
  const held = poolFailure ? poolFailure.because(situation, false) : facts.behind
  const blockers = blockersIn(facts, target, drifted)
  const named = andMore(
    blockers.map(({ node, because }) => `node ${node} ${because}`),
    3,
    '; ',
  )
  if (failed.length >= stopAfter && !poolFailure) {
    const stopped = `Stopped after ${failed.length} failed: no further node is updated to ${target.config} until it changes or they recover`
    return yes(reasons.stopped, sentences(progress, stopped, named && `Failed: ${named}`))
  }
  if (held === undefined && isMoving(plan, blockers)) {
    const end = expectedEnd(situation)
    const eta = end === undefined ? '' : `Expected to end at about ${end}`
    return yes(
      reasons.progressing,
      sentences(progress, named && `In the way: ${named}`, limitOf(plan), eta),
    )
  }
  const isOver = facts.nodes.every((node) => drifted.has(node.name) || isDoneAt(node, target))
  if (held === undefined && isOver && drifted.size > 0) {
    return yes(reasons.drifted, sentences(progress, `Drifted: ${named}`))
  }
  const why = [held, named].filter(Boolean).join('; ')
  return yes(
    why ? reasons.blocked : reasons.progressing,
    sentences(progress, why && `Blocked: ${why}`),
  )
}

/** Why fewer nodes are updated at once than the pool asks for. */
function limitOf({ situation, others }: RolloutPlan): string {
  const { budget, open } = situation
  if ('capped' in budget && budget.capped !== undefined) return budget.capped
  if (others.length === 0 || open.size < mostTurns || roomIn(situation) === 0) return ''
  return `At most ${mostTurns} nodes are updated at a time, whatever spec.maxUnavailable allows`
}

/** Somebody is told now, or was told and is simply busy. */
function isMoving(
  { situation, chosen }: RolloutPlan,
  blockers: readonly { readonly node: string }[],
): boolean {
  if (chosen.length > 0) return true
  const blocked = new Set(blockers.map(({ node }) => node))
  const { facts, disrupted } = situation
  return facts.nodes.some(({ name }) => disrupted.has(name) && !blocked.has(name))
}

const sentences = (...texts: readonly string[]): string => texts.filter(Boolean).join('. ')

const yes = (reason: string, message: string): ConditionReport => ({
  type: poolConditions.updating,
  status: 'True',
  reason,
  message,
})

const no = (reason: string, message: string): ConditionReport => ({
  type: poolConditions.updating,
  status: 'False',
  reason,
  message,
})
