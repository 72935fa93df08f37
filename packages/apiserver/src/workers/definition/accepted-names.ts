import { sameJson } from '@machinist/core/json'

/** The names under which a definition's objects can be asked for. */
export interface DefinedNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export interface Acceptance {
  /** The names that a definition has: as many of those it asks for as nobody else has. */
  readonly names: DefinedNames
  /** Absent where it has all that it asks for. */
  readonly conflict?: { readonly reason: string; readonly message: string }
}

export const noNames: DefinedNames = { plural: '', kind: '' }

/** Which of the names that it asks for a definition gets, given those it has and those that others of its group have. */
export function acceptedNames(
  asked: DefinedNames,
  had: DefinedNames,
  others: readonly DefinedNames[],
): Acceptance {
  const resources = new Set(
    others.flatMap(({ plural, singular = '', shortNames = [] }) => [
      plural,
      singular,
      ...shortNames,
    ]),
  )
  const kinds = new Set(others.flatMap(({ kind, listKind = '' }) => [kind, listKind]))
  const plural = decided(asked.plural, had.plural, resources, 'PluralConflict')
  const singular = decided(asked.singular, had.singular, resources, 'SingularConflict')
  const shortNames = decidedShortNames(asked.shortNames ?? [], had.shortNames ?? [], resources)
  const kind = decided(asked.kind, had.kind, kinds, 'KindConflict')
  const listKind = decided(asked.listKind, had.listKind, kinds, 'ListKindConflict')
  const conflict = [plural, singular, shortNames, kind, listKind].findLast((each) => each.conflict)
  const names: DefinedNames = {
    plural: plural.name,
    ...(singular.name !== '' && { singular: singular.name }),
    ...(shortNames.names.length > 0 && { shortNames: shortNames.names }),
    kind: kind.name,
    ...(listKind.name !== '' && { listKind: listKind.name }),
    ...(asked.categories && { categories: asked.categories }),
  }
  return conflict?.conflict ? { names, conflict: conflict.conflict } : { names }
}

interface Decided {
  readonly name: string
  readonly conflict?: Acceptance['conflict']
}

function decided(asked = '', had = '', taken: ReadonlySet<string>, reason: string): Decided {
  if (asked === had || !taken.has(asked)) return { name: asked }
  return { name: had, conflict: { reason, message: inUse(asked) } }
}

/** All of them or none. */
function decidedShortNames(
  asked: readonly string[],
  had: readonly string[],
  taken: ReadonlySet<string>,
): { readonly names: readonly string[]; readonly conflict?: Acceptance['conflict'] } {
  if (sameJson(asked, had)) return { names: had }
  const refused = asked.filter((name) => !had.includes(name) && taken.has(name))
  if (refused.length === 0) return { names: asked }
  const said = [...new Set(refused.map(inUse))]
  const message = said.length === 1 ? said[0]! : `[${said.join(', ')}]`
  return { names: had, conflict: { reason: 'ShortNamesConflict', message } }
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`
