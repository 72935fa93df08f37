import { annotations } from '../../api/annotations.ts'
import type { NodeSettings, PoolSettings } from './settings-kind.ts'

/** How the MachineConfigs of a kind are named. */
export interface Naming {
  readonly part: string
  readonly deprecatedPart: string
}

/** The first object of a pool has none, or 0, which is not written. */
export const largestSuffix = 9

export function machineConfigName(pool: string, suffix: number, { part }: Naming): string {
  return `99-${pool}-${part}${suffix === 0 ? '' : `-${suffix}`}`
}

/** As old releases named the only one of a pool. */
export function deprecatedName({ name, pool }: PoolSettings, naming: Naming): string {
  return `99-${name}-${pool.metadata.uid ?? ''}-${naming.deprecatedPart}`
}

/** All names that MachineConfigs of a pool may have. */
export function namesIn(pool: PoolSettings, naming: Naming): string[] {
  const suffixes = Array.from({ length: largestSuffix + 1 }, (_, suffix) => suffix)
  return [
    deprecatedName(pool, naming),
    ...suffixes.map((suffix) => machineConfigName(pool.name, suffix, naming)),
  ]
}

/** As the annotation says it. */
export const suffixText = (suffix: number): string => (suffix === 0 ? '' : String(suffix))

/** What the object has: as its annotation says, or as the MachineConfigs are called that were made from it before. */
export function claimedSuffix(object: Readonly<NodeSettings>, naming: Naming): number | undefined {
  const { finalizers = [] } = object.metadata
  const said = annotatedSuffix(object)
  if (said !== undefined) return said
  const used = finalizers.flatMap((name) => suffixIn(name, naming) ?? [])
  return used.length > 0 ? Math.max(...used) : undefined
}

export function annotatedSuffix({ metadata }: Readonly<NodeSettings>): number | undefined {
  const text = metadata.annotations?.[annotations.nameSuffix]
  return text !== undefined && /^[1-9]?$/.test(text) ? Number(text) : undefined
}

/** Whether a finalizer is the name of a MachineConfig of ours; all others are somebody else's. */
export function isOurName(name: string, naming: Naming): boolean {
  return suffixIn(name, naming) !== undefined
}

function suffixIn(name: string, { part, deprecatedPart }: Naming): number | undefined {
  const [, digit] = new RegExp(`^99-.+-${part}(?:-([1-9]))?$`).exec(name) ?? [undefined, null]
  if (digit !== null) return Number(digit ?? 0)
  return new RegExp(`^99-.+-${uuid}-${deprecatedPart}$`).test(name) ? 0 : undefined
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
