import { annotations } from '../../api/annotations.ts'
import type { NodeSettings, PoolSettings } from './settings-kind.ts'

/** How the MachineConfigs of a kind are named. */
export interface MachineConfigNaming {
  readonly part: string
  readonly deprecatedPart: string
}

/** Suffixes are 0 to 9; 0, for the first object of a pool, is not written. */
export const largestSuffix = 9

export function machineConfigName(
  pool: string,
  suffix: number,
  { part }: MachineConfigNaming,
): string {
  return `99-${pool}-${part}${suffix === 0 ? '' : `-${suffix}`}`
}

/** The name that old releases used, with one object per pool. */
export function deprecatedName({ name, pool }: PoolSettings, naming: MachineConfigNaming): string {
  return `99-${name}-${pool.metadata.uid ?? ''}-${naming.deprecatedPart}`
}

/** All possible names of the MachineConfigs of a pool. */
export function namesIn(pool: PoolSettings, naming: MachineConfigNaming): string[] {
  const suffixes = Array.from({ length: largestSuffix + 1 }, (_, suffix) => suffix)
  return [
    deprecatedName(pool, naming),
    ...suffixes.map((suffix) => machineConfigName(pool.name, suffix, naming)),
  ]
}

/** The value of the annotation. */
export const suffixText = (suffix: number): string => (suffix === 0 ? '' : String(suffix))

/** The current suffix of an object: from its annotation, or from the names of its MachineConfigs in its finalizers. */
export function claimedSuffix(
  object: Readonly<NodeSettings>,
  naming: MachineConfigNaming,
): number | undefined {
  const { finalizers = [] } = object.metadata
  const annotated = annotatedSuffix(object)
  if (annotated !== undefined) return annotated
  const used = finalizers.flatMap((name) => suffixIn(name, naming) ?? [])
  return used.length > 0 ? Math.max(...used) : undefined
}

export function annotatedSuffix({ metadata }: Readonly<NodeSettings>): number | undefined {
  const text = metadata.annotations?.[annotations.nameSuffix]
  return text !== undefined && /^[1-9]?$/.test(text) ? Number(text) : undefined
}

/** Whether a finalizer is the name of a generated MachineConfig; all others belong to other controllers. */
export function isGeneratedName(name: string, naming: MachineConfigNaming): boolean {
  return suffixIn(name, naming) !== undefined
}

function suffixIn(name: string, { part, deprecatedPart }: MachineConfigNaming): number | undefined {
  const [, digit] = new RegExp(`^99-.+-${part}(?:-([1-9]))?$`).exec(name) ?? [undefined, null]
  if (digit !== null) return Number(digit ?? 0)
  return new RegExp(`^99-.+-${uuid}-${deprecatedPart}$`).test(name) ? 0 : undefined
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
