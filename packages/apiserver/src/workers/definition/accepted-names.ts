import { sameJson } from '@machinist/core/encoding/json'

/** The names of a CRD. */
export interface DefinedNames {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export interface NameAcceptance {
  /** The accepted names: those requested names that no other CRD has. */
  readonly names: DefinedNames
  /** Absent if all requested names are accepted. */
  readonly conflict?: { readonly reason: string; readonly message: string }
}

export const noNames: DefinedNames = { plural: '', kind: '' }

/** Decides which requested names a CRD gets, given its current names and those of other CRDs in its group. */
export function acceptedNames(
  requested: DefinedNames,
  had: DefinedNames,
  others: readonly DefinedNames[],
): NameAcceptance {
  const resources = new Set(
    others.flatMap(({ plural, singular = '', shortNames = [] }) => [
      plural,
      singular,
      ...shortNames,
    ]),
  )
  const kinds = new Set(others.flatMap(({ kind, listKind = '' }) => [kind, listKind]))
  const plural = decided(requested.plural, had.plural, resources, 'PluralConflict')
  const singular = decided(requested.singular, had.singular, resources, 'SingularConflict')
  const shortNames = decidedShortNames(requested.shortNames ?? [], had.shortNames ?? [], resources)
  const kind = decided(requested.kind, had.kind, kinds, 'KindConflict')
  const listKind = decided(requested.listKind, had.listKind, kinds, 'ListKindConflict')
  const conflict = [plural, singular, shortNames, kind, listKind].findLast((each) => each.conflict)
  const names: DefinedNames = {
    plural: plural.name,
    ...(singular.name !== '' && { singular: singular.name }),
    ...(shortNames.names.length > 0 && { shortNames: shortNames.names }),
    kind: kind.name,
    ...(listKind.name !== '' && { listKind: listKind.name }),
    ...(requested.categories && { categories: requested.categories }),
  }
  return conflict?.conflict ? { names, conflict: conflict.conflict } : { names }
}

interface Decided {
  readonly name: string
  readonly conflict?: NameAcceptance['conflict']
}

function decided(requested = '', had = '', taken: ReadonlySet<string>, reason: string): Decided {
  if (requested === had || !taken.has(requested)) return { name: requested }
  return { name: had, conflict: { reason, message: inUse(requested) } }
}

/** All or none. */
function decidedShortNames(
  requested: readonly string[],
  had: readonly string[],
  taken: ReadonlySet<string>,
): { readonly names: readonly string[]; readonly conflict?: NameAcceptance['conflict'] } {
  if (sameJson(requested, had)) return { names: had }
  const conflicting = requested.filter((name) => !had.includes(name) && taken.has(name))
  if (conflicting.length === 0) return { names: requested }
  const messages = [...new Set(conflicting.map(inUse))]
  const message = messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`
  return { names: had, conflict: { reason: 'ShortNamesConflict', message } }
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`
