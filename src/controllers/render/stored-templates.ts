import { annotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { labels } from '../../api/labels.ts'
import type { ControllerConfig, MachineConfig, MachineConfigPool } from '../../api/resources.ts'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import { selectsRole } from './gather.ts'
import { digestOfSpec, specDigest } from '../../fleet/render/rendered-name.ts'

const prefix = ownControllerConfigAnnotations.templatesPrefix

/** The digest of each MachineConfig that the templates of a role came to, by its name. */
export type StoredTemplates = ReadonlyMap<string, string>

/** Where the ControllerConfig says it for a role. */
export const storedTemplatesKey = (role: string): string => prefix + role

/** What it says there: the same for the same MachineConfigs, whatever their order. */
export function storedTemplatesText(
  parts: readonly { readonly name: string; readonly spec: MachineConfigSpec }[],
): string {
  const digests = parts.map(({ name, spec }): [string, string] => [name, specDigest(spec)])
  digests.sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(Object.fromEntries(digests))
}

/** By role. What cannot be read says nothing: the template controller puts it right. */
export function storedTemplatesOf({ metadata }: ControllerConfig): Map<string, StoredTemplates> {
  return new Map(
    Object.entries(metadata.annotations ?? {}).flatMap(([key, text]) => {
      const stored = key.startsWith(prefix) ? parsed(text) : undefined
      return stored ? [[key.slice(prefix.length), stored]] : []
    }),
  )
}

/**
 * The first MachineConfig that is not yet as the ControllerConfig says that it was stored, and in what way; of the roles that
 * the pool selects. Where a ControllerConfig says nothing, nothing is expected.
 */
export function unseenTemplate(
  controllerConfig: ControllerConfig,
  pool: MachineConfigPool,
  fromTemplates: readonly MachineConfig[],
): string | undefined {
  const seen = new Map(fromTemplates.map((one) => [one.metadata.name, one]))
  for (const [role, stored] of storedTemplatesOf(controllerConfig)) {
    if (!selectsRole(pool, role)) continue
    const by = `the templates of ${role}`
    for (const [name, digest] of stored) {
      const one = seen.get(name)
      if (!one) return `${name}, which ${by} made, to be there`
      if (digestOfSpec(one) !== digest) return `${name} to be as ${by} made it`
    }
    const left = fromTemplates.find((one) => isOfRole(one, role) && !stored.has(one.metadata.name))
    if (left) return `${left.metadata.name} to be gone: ${by} no longer make it`
  }
  return undefined
}

/** What the template controller removes; it does not touch what is not by a controller. */
function isOfRole({ metadata }: MachineConfig, role: string): boolean {
  return (
    metadata.labels?.[labels.role] === role &&
    Boolean(metadata.annotations?.[annotations.generatedByController]) &&
    metadata.deletionTimestamp === undefined
  )
}

function parsed(text: string): StoredTemplates | undefined {
  const value = jsonOrUndefined(text)
  if (!isObject(value)) return undefined
  return new Map(Object.entries(value).map(([name, digest]) => [name, String(digest)]))
}
