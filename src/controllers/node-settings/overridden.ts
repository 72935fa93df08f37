import type { NodeSettings, SettingsKind } from './settings-kind.ts'

/** A field of an object that has no effect in a pool, because a later object sets it to another value. */
export interface Overridden {
  readonly pool: string
  readonly field: string
  /** Both values are JSON, truncated for messages. */
  readonly value: string
  readonly by: string
  readonly byValue: string
}

/** The fields of an object that a later object of the same pool overrides. `valid` are the objects of the pool in merge order. */
export function overriddenIn<T extends NodeSettings>(
  pool: string,
  object: Readonly<T>,
  valid: readonly Readonly<T>[],
  kind: Pick<SettingsKind<T, unknown>, 'fields'>,
): Overridden[] {
  const at = valid.findIndex(({ metadata }) => metadata.name === object.metadata.name)
  if (at < 0) return []
  const winners = new Map<string, { by: string; byValue: string }>()
  for (const later of valid.slice(at + 1)) {
    for (const [field, byValue] of kind.fields(later)) {
      winners.set(field, { by: later.metadata.name, byValue })
    }
  }
  return [...kind.fields(object)].flatMap(([field, value]) => {
    const winner = winners.get(field)
    if (!winner || winner.byValue === value) return []
    return { pool, field, value: short(value), by: winner.by, byValue: short(winner.byValue) }
  })
}

export function overriddenText(kind: string, fields: readonly Overridden[]): string {
  return fields
    .map(
      ({ pool, field, value, by, byValue }) =>
        `pool ${pool}: ${kind} ${by} overrides ${field}: ${value} with ${byValue}; set it in one object only`,
    )
    .join('; ')
}

const longest = 60

const short = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text
