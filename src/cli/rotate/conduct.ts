import { InvalidInput } from '@machinist/core/errors'
import { harmless } from '../style.ts'
import type { RotationFacts } from '../../views/rotate/facts.ts'
import { Journal } from '../../views/rotate/journal.ts'
import { toWatch } from './ending.ts'
import type { Tools, Watching } from './observe.ts'
import { observe } from './observe.ts'
import type { Plan } from './plan.ts'
import { planToGoBack, planToRotate, planWithout } from './plan.ts'
import { progressOf } from '../../views/rotate/progress.ts'
import { readFacts, readRotation } from './read.ts'

/** What somebody wants. */
export interface Wish extends Watching {
  readonly name?: string
  readonly does: 'rotate' | 'back' | 'status' | { readonly without: readonly string[] }
  readonly dryRun: boolean
  readonly force: boolean
}

/** From the wish to its end. What keeps it from being fulfilled is InvalidInput. */
export async function conduct(wish: Wish, tools: Tools): Promise<void> {
  const { client, clock, output } = tools
  try {
    const rotation = await readRotation(client, wish.name)
    const facts = await readFacts(client, rotation, clock.now())
    if (wish.does === 'status') return await lookOnly(facts, wish, tools)
    const plan = planFor(wish.does, facts)
    output.plan(plan, wish.dryRun)
    refuse(plan, wish)
    if (wish.dryRun) {
      await plan.act(client, true)
      output.note('Nothing was changed. Without --dry-run it is done.')
      return
    }
    await carryOut(plan, facts, wish, tools)
  } finally {
    output.end()
  }
}

function planFor(does: Exclude<Wish['does'], 'status'>, facts: RotationFacts): Plan {
  if (does === 'rotate') return planToRotate(facts)
  if (does === 'back') return planToGoBack(facts)
  return planWithout(facts, does.without)
}

function refuse({ against }: Plan, { force }: Wish): void {
  if (force || against.length === 0) return
  throw new InvalidInput(`${harmless(against.join('; '))}. With --force it is done all the same.`)
}

async function lookOnly(facts: RotationFacts, wish: Wish, tools: Tools): Promise<void> {
  const journal = new Journal()
  if (wish.watch) return await observe(facts, journal, wish, tools)
  journal.see(facts)
  tools.output.progress(progressOf(facts, journal))
}

async function carryOut(plan: Plan, facts: RotationFacts, wish: Wish, tools: Tools): Promise<void> {
  const { client, clock, output } = tools
  const { name } = facts.rotation.metadata
  const act = (): Promise<void> => plan.act(client, false)
  if (plan.action === 'without') {
    if (wish.watch) return await observe(facts, new Journal(), wish, tools, act)
    await act()
    return output.note(`Done. How it goes on: ${toWatch(name)}`)
  }
  const instead = facts.rotation.status?.current?.fingerprint
  const isBack = plan.action === 'back'
  const asked = { at: clock.now(), isBack, ...(instead !== undefined && { instead }) }
  await observe(facts, new Journal(asked), wish, tools, act)
}
