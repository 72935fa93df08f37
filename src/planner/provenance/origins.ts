import { names } from '../../api/names.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { RequestedActions } from '../actions/requested.ts'
import { kernelWords } from '../differences/kernel-arguments.ts'
import type { PlanInput, Provenance } from '../model/plan-input.ts'
import type { PlanChange, ChangeKind } from '../model/update-plan.ts'
import { listed } from '../model/wording.ts'
import { provenanceOf } from './provenance.ts'

/**
 * The MachineConfigs that a change comes from; for a removal, those of the old config. A rendered config has provenance; any other
 * config is its own origin.
 */
export function originsOf(
  input: PlanInput,
): (change: PlanChange, words: readonly string[]) => string | undefined {
  const { current, desired, provenance = provenanceOf(desired) } = input
  const now = { config: desired, provenance }
  const before = current && { config: current, provenance: provenanceOf(current) }
  return ({ kind, change, path, name }, words) => {
    const side = change === 'removed' ? before : now
    if (!side) return undefined
    const keys = words.length > 0 ? words : [path ?? name ?? '']
    const sources = new Set(keys.flatMap((key) => sourcesOf(kind, key, side.provenance)))
    return sources.size > 0 ? listed([...sources], 8) : ownName(now.config)
  }
}

/** Adds the origins to the required actions, if the rendered config has provenance. */
export function withOrigins(
  requested: readonly RequestedActions[],
  changes: readonly PlanChange[],
  { desired }: PlanInput,
): RequestedActions[] {
  const itself = ownName(desired)
  const origins = new Map<string, Set<string>>()
  for (const change of changes) {
    if (change.from === undefined || change.from === itself) continue
    const cause = causeOf(change)
    origins.set(cause, (origins.get(cause) ?? new Set()).add(change.from))
  }
  return requested.map((one) => {
    const found = origins.get(one.because)
    return found ? { ...one, from: listed([...found]) } : one
  })
}

/** The object of a change in rules: for a drop-in, its unit. */
export function causeOf({ kind, path, name }: PlanChange): string {
  if (kind === 'dropin') return name!.slice(0, name!.indexOf('/'))
  return path ?? name ?? kind
}

/** Provenance records kernel arguments by list entry, which may contain several words. */
export function sourcesOf(
  kind: ChangeKind,
  entry: string,
  provenance: Provenance | undefined,
): string[] {
  const known = provenance?.[kind] ?? {}
  if (Object.hasOwn(known, entry)) return [known[entry]!]
  if (kind !== 'kernelArguments') return []
  return Object.entries(known)
    .filter(([key]) => key !== '' && kernelWords(key).includes(entry))
    .map(([, name]) => name)
}

function ownName({ metadata }: MachineConfig): string | undefined {
  const own: unknown = metadata?.name
  return typeof own === 'string' && !own.startsWith(names.renderedPrefix) ? own : undefined
}
