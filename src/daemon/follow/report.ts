import type { StepContext, Pass } from '@machinist/kube/controller/step-controller'
import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { NodeView } from '../node/node-view.ts'
import { stateOf } from '../node/node-view.ts'
import { annotationsFor, isNewFailure } from '../report/annotations.ts'
import { eventsFor } from '../report/decision-events.ts'
import type { Versions } from '../report/machine-config-node.ts'
import type { Milestone } from '../report/milestone.ts'
import type { NodeReporter } from '../report/reporter.ts'
import type { FollowResult } from './act.ts'
import type { FollowDecision } from './decide/decision.ts'
import type { FollowFacts } from './facts/facts.ts'
import { currentConfigOf } from './facts/situation.ts'
import type { FollowMemory } from './memory.ts'

export type FollowPass = Pass<FollowFacts, FollowDecision, FollowResult>

export interface FollowReportContext extends Pick<StepContext, 'log'> {
  readonly reporter: NodeReporter
  readonly memory: FollowMemory
}

/**
 * Reports a decision before it is carried out: annotations first, because controllers act on them; then events, conditions and
 * metrics. Fails if the annotations cannot be written: the daemon must not act without reporting it. They conflict if the Node has
 * changed: a write without a response may reach the API server late, when it is no longer true.
 */
export async function announce(
  decision: FollowDecision,
  facts: FollowFacts,
  { reporter, memory, log }: FollowReportContext,
): Promise<void> {
  const { check, why, next } = decision
  // A verification only leads to the next decision.
  if (next.action === 'verify') return log.debug('decided', { check, why, next: next.action })
  const key = JSON.stringify([check, why, next.action])
  const isNew = key !== memory.announced
  if (isNew) {
    log.info('decided', { check, why, next: next.action })
    for (const name of missingIn(facts)) reporter.metrics.missing(name)
  }
  const { node, finalizationFailure } = facts
  if (node && !facts.rebooting && next.action !== 'ignore') {
    if (isNewFailure(node, finalizationFailure)) {
      reporter.event(node, nodeEvents.failedFinalization, finalizationFailure, true)
    }
    const changes = annotationsFor(decision, node, finalizationFailure)
    const isWritten = Object.keys(changes).length > 0 || isGuarded(next)
    if (isWritten) await reporter.annotate(changes, node.version)
    if (isNew) reporter.emit(node, eventsFor(decision, facts, node))
    reportProgress(decision, facts, node, reporter)
    countState(decision, node, reporter)
    if (next.action === 'update' || next.action === 'resume') {
      reportMonitorStopped(node, reporter, memory)
    }
  }
  memory.announced = key
}

/** Reports the result of a verification. Updates report their progress while they run. */
export function report(pass: FollowPass, { reporter, memory }: FollowReportContext): void {
  if (pass.type === 'failed') return
  const { facts, plan, result } = pass
  if (plan.next.action === 'done') reporter.metrics.drifted(false)
  if (result.type !== 'verified') return
  if (!result.isClean) reporter.metrics.drifted(true)
  else if (facts.node) reportMonitorStarted(result.config, facts.node, reporter, memory)
}

function reportMonitorStarted(
  config: string,
  node: NodeView,
  reporter: NodeReporter,
  memory: FollowMemory,
): void {
  if (memory.monitored === config) return
  memory.monitored = config
  const message = `Config Drift Monitor started, watching against ${config}`
  reporter.event(node, nodeEvents.configDriftMonitorStarted, message)
}

function reportMonitorStopped(node: NodeView, reporter: NodeReporter, memory: FollowMemory): void {
  if (memory.monitored === '') return
  memory.monitored = ''
  reporter.event(node, nodeEvents.configDriftMonitorStopped, 'Config Drift Monitor stopped')
}

function reportProgress(
  { next, report: state }: FollowDecision,
  facts: FollowFacts,
  node: NodeView,
  reporter: NodeReporter,
): void {
  const versions = versionsOf(facts, node)
  const to = versions.desired ?? ''
  const reach = (milestone: Milestone): void => reporter.milestone(node, milestone, versions)
  if (next.action === 'requestDrain') reach({ type: 'due', to })
  else if (next.action === 'unreconcilable')
    reach({ type: 'refused', to, reason: state?.reason ?? '' })
  else if (next.action === 'update') {
    if (!next.healing) reach({ type: 'prepared', plan: next.update.plan })
  } else if (next.action === 'done') {
    if (!facts.settled) reach({ type: 'resumed', config: to })
    reach({ type: 'updated', config: to })
  } else if (state?.state === nodeStates.degraded) {
    reach({ type: 'degraded', reason: state.reason ?? '' })
  }
}

function countState(
  { report: state }: FollowDecision,
  node: NodeView,
  { metrics }: NodeReporter,
): void {
  const reason = state?.reason ?? node.annotations[nodeAnnotations.reason] ?? ''
  metrics.state(state?.state ?? stateOf(node), reason)
}

/**
 * Whether the version of the Node is checked even if no annotation changes. A partitioned node may still see a config that was
 * taken back, and must not begin its update; a node that stays in its config must not overwrite a turn that it is given at this
 * moment.
 */
const isGuarded = ({ action }: FollowDecision['next']): boolean =>
  action === 'requestDrain' || action === 'update' || action === 'stay'

const missingIn = ({ configs }: FollowFacts): string[] =>
  Object.keys(configs).filter((name) => configs[name] === 'missing')

function versionsOf(facts: FollowFacts, node: NodeView): Versions {
  const current = currentConfigOf(facts, node)
  const name = current === 'missing' ? undefined : current.config?.metadata.name
  const desired = node.annotations[nodeAnnotations.desiredConfig]
  return { ...(name !== undefined && { current: name }), ...(desired && { desired }) }
}
