import type { NodeSettings, SettingsKind } from './settings-kind.ts'

/** One field of an object that does not hold in a pool, because another object there says something else. */
export interface Overridden {
  readonly pool: string
  readonly field: string
  /** Both as JSON, short enough to read. */
  readonly value: string
  readonly by: string
  readonly byValue: string
}

/** The fields of an object on which a later one of the same pool has the last word. `good`: those of the pool, in order. */
export function overriddenIn<T extends NodeSettings>(
  pool: string,
  object: Readonly<T>,
  good: readonly Readonly<T>[],
  kind: Pick<SettingsKind<T, unknown>, 'fields'>,
): Overridden[] {
  const at = good.findIndex(({ metadata }) => metadata.name === object.metadata.name)
  if (at < 0) return []
  const lastWord = new Map<string, { by: string; byValue: string }>()
  for (const later of good.slice(at + 1)) {
    for (const [field, byValue] of kind.fields(later)) {
      lastWord.set(field, { by: later.metadata.name, byValue })
    }
  }
  return [...kind.fields(object)].flatMap(([field, value]) => {
    const last = lastWord.get(field)
    if (!last || last.byValue === value) return []
    return { pool, field, value: short(value), by: last.by, byValue: short(last.byValue) }
  })
}

export function overriddenText(kind: string, fields: readonly Overridden[]): string {
  return fields
    .map(
      ({ pool, field, value, by, byValue }) =>
        `pool ${pool}: ${field} is ${byValue} there, as ${kind} ${by} says, and not ${value}`,
    )
    .join('; ')
}

const longest = 60

const short = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text
