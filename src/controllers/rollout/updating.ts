import type { ConditionReport } from '../../api/conditions.ts'
import { poolConditions } from '../../api/conditions.ts'
import { holdMessage } from '../../fleet/pools/hold.ts'
import { rolloutBlockers } from '../../fleet/rollout/blockers.ts'
import { expectedEnd } from '../../fleet/rollout/eta.ts'
import type { RolloutTarget } from '../../fleet/rollout/node-facts.ts'
import { isDoneAt } from '../../fleet/rollout/node-facts.ts'
import { poolChain } from '../../fleet/rollout/checks.ts'
import { isAllUpdated, roomIn } from '../../fleet/rollout/situation.ts'
import { mostTurns } from '../../fleet/rollout/turns.ts'
import { andMore, formatTarget } from '../../fleet/rollout/wording.ts'
import type { RolloutPlan } from './decide.ts'
import { updatingReasons as reasons } from './reasons.ts'

/** The Updating condition: the progress of the rollout and, if it is stuck, the reason. */
export function updatingReport(plan: RolloutPlan): ConditionReport {
  const { situation } = plan
  const { target, facts } = situation
  const { image, pool } = facts
  if (!target) return no(reasons.notConfigured, 'No config is rendered for this pool yet')
  if (isAllUpdated(situation)) return no('', '')
  if (facts.hold) return no(reasons.held, holdMessage(pool.metadata.name, facts.hold))
  const line = formatTarget(target)
  if (image.type === 'failed') return no(reasons.buildFailed, `Pool ${image.because}`)
  if (image.type === 'awaited') {
    const { because, pausedBecause } = image
    const why = pool.spec.paused ? `Pool is paused; ${pausedBecause}` : `Pool is ${because}`
    return yes(reasons.building, why)
  }
  if (pool.spec.paused) return no(reasons.paused, `Pool is paused; will not update to ${line}`)
  return inProgress(plan, target, line)
}

function inProgress(plan: RolloutPlan, target: RolloutTarget, line: string): ConditionReport {
  const { situation } = plan
  const { counts, facts, failed, drifted, stopAfter } = situation
  const progress = `${counts.updated} of ${counts.machine} nodes are updated to ${line}`
  const poolRefusal = poolChain.evaluate(situation)
  const held = poolRefusal ? poolRefusal.result.because() : facts.waitReason
  const blockers = rolloutBlockers(facts, target, drifted)
  const named = andMore(
    blockers.map(({ node, because }) => `node ${node} ${because}`),
    3,
    '; ',
  )
  if (failed.length >= stopAfter && !poolRefusal) {
    const stopped = `Stopped after ${failed.length} failed: no further node is updated to ${target.config} until the config changes or the nodes recover`
    return yes(reasons.stopped, sentences(progress, stopped, named && `Failed: ${named}`))
  }
  if (held === undefined && isMoving(plan, blockers)) {
    const end = expectedEnd(situation)
    const eta = end === undefined ? '' : `Expected to end at about ${end}`
    return yes(
      reasons.progressing,
      sentences(progress, named && `Blocked nodes: ${named}`, limitTextOf(plan), eta),
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

/** Why fewer nodes are updated at once than spec.maxUnavailable. */
function limitTextOf({ situation, others }: RolloutPlan): string {
  const { budget, open } = situation
  if ('capped' in budget && budget.capped !== undefined) return budget.capped
  if (others.length === 0 || open.size < mostTurns || roomIn(situation) === 0) return ''
  return `At most ${mostTurns} nodes are updated at a time, regardless of spec.maxUnavailable`
}

/** A node gets the target now, or is busy with its update. */
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
