import { names } from '../api/names.ts'
import type { MachineConfig } from '../api/resources.ts'
import type { Asked } from './asked.ts'
import { kernelWords } from './kernel-arguments.ts'
import type { PlanInput, Provenance } from './plan-input.ts'
import { provenanceOf } from './provenance.ts'
import type { Change, ChangeKind } from './update-plan.ts'
import { listed } from './wording.ts'

/**
 * Which MachineConfigs brought a change; those of the config before, where the change takes something away. A rendered config
 * knows it by its provenance, any other config is its own origin.
 */
export function originsOf(
  input: PlanInput,
): (change: Change, words: readonly string[]) => string | undefined {
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

/** Adds to what is asked for where it comes from, as far as a rendered config knows. */
export function withOrigins(
  asked: readonly Asked[],
  changes: readonly Change[],
  { desired }: PlanInput,
): Asked[] {
  const itself = ownName(desired)
  const origins = new Map<string, Set<string>>()
  for (const change of changes) {
    if (change.from === undefined || change.from === itself) continue
    const cause = causeOf(change)
    origins.set(cause, (origins.get(cause) ?? new Set()).add(change.from))
  }
  return asked.map((one) => {
    const found = origins.get(one.because)
    return found ? { ...one, from: listed([...found]) } : one
  })
}

/** How the rules name what a change is about: a drop-in counts for its unit. */
export function causeOf({ kind, path, name }: Change): string {
  if (kind === 'dropin') return name!.slice(0, name!.indexOf('/'))
  return path ?? name ?? kind
}

/** Provenance knows kernel arguments by the entries of the list, which may hold several words. */
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
