import { InvalidInput } from '@machinist/core/errors'
import { escapeControls } from '../../text/style.ts'
import type { RotationFacts } from '../../../views/rotate/facts.ts'
import { RotationJournal } from '../../../views/rotate/journal.ts'
import { watchCommand } from '../../../views/rotate/ending.ts'
import { progressOf } from '../../../views/rotate/progress.ts'
import type { RotateTools, WatchSettings } from './observe.ts'
import { observeRotation } from './observe.ts'
import type { RotationPlan } from './plan.ts'
import { planToGoBack, planToRotate, planWithout } from './plan.ts'
import { readRotationFacts, readRotation } from './read.ts'

/** The request of the user. */
export interface RotateRequest extends WatchSettings {
  readonly name?: string
  readonly action: 'rotate' | 'back' | 'status' | { readonly without: readonly string[] }
  readonly dryRun: boolean
  readonly force: boolean
}

/** Carries out a request. Throws InvalidInput if that is not possible. */
export async function carryOutRequest(request: RotateRequest, tools: RotateTools): Promise<void> {
  const { client, clock, output } = tools
  try {
    const rotation = await readRotation(client, request.name)
    const facts = await readRotationFacts(client, rotation, clock.now())
    if (request.action === 'status') return await showStatus(facts, request, tools)
    const plan = planFor(request.action, facts)
    output.plan(plan, request.dryRun)
    rejectUnlessForced(plan, request)
    if (request.dryRun) {
      await plan.act(client, true)
      output.note('Dry run: nothing was changed. Omit --dry-run to apply.')
      return
    }
    await applyPlan(plan, facts, request, tools)
  } finally {
    output.end()
  }
}

function planFor(
  action: Exclude<RotateRequest['action'], 'status'>,
  facts: RotationFacts,
): RotationPlan {
  if (action === 'rotate') return planToRotate(facts)
  if (action === 'back') return planToGoBack(facts)
  return planWithout(facts, action.without)
}

function rejectUnlessForced({ against }: RotationPlan, { force }: RotateRequest): void {
  if (force || against.length === 0) return
  throw new InvalidInput(`${escapeControls(against.join('; '))}. Use --force to continue anyway.`)
}

async function showStatus(
  facts: RotationFacts,
  request: RotateRequest,
  tools: RotateTools,
): Promise<void> {
  const journal = new RotationJournal()
  if (request.watch) return await observeRotation(facts, journal, request, tools)
  journal.record(facts)
  tools.output.progress(progressOf(facts, journal))
}

async function applyPlan(
  plan: RotationPlan,
  facts: RotationFacts,
  request: RotateRequest,
  tools: RotateTools,
): Promise<void> {
  const { client, clock, output } = tools
  const { name } = facts.rotation.metadata
  const act = (): Promise<void> => plan.act(client, false)
  if (plan.action === 'without') {
    if (request.watch)
      return await observeRotation(facts, new RotationJournal(), request, tools, act)
    await act()
    return output.note(`Done. To watch the rotation: ${watchCommand(name)}`)
  }
  const replaces = facts.rotation.status?.current?.fingerprint
  const isBack = plan.action === 'back'
  const requested = { at: clock.now(), isBack, ...(replaces !== undefined && { replaces }) }
  await observeRotation(facts, new RotationJournal(requested), request, tools, act)
}
