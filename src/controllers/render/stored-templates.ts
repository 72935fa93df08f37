import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { annotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { labels } from '../../api/labels.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { digestOfSpec, specDigest } from '../../fleet/render/rendered-name.ts'
import { selectsRole } from './gather.ts'

const prefix = ownControllerConfigAnnotations.templatesPrefix

/** The digests of the MachineConfigs of a role's templates, by name. */
export type StoredTemplates = ReadonlyMap<string, string>

/** The annotation of the ControllerConfig for a role. */
export const storedTemplatesKey = (role: string): string => prefix + role

/** The value of that annotation; it does not depend on the order of the MachineConfigs. */
export function storedTemplatesText(
  parts: readonly { readonly name: string; readonly spec: MachineConfigSpec }[],
): string {
  const digests = parts.map(({ name, spec }): [string, string] => [name, specDigest(spec)])
  digests.sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(Object.fromEntries(digests))
}

/** By role. Invalid values are ignored: the template controller rewrites them. */
export function storedTemplatesOf({ metadata }: ControllerConfig): Map<string, StoredTemplates> {
  return new Map(
    Object.entries(metadata.annotations ?? {}).flatMap(([key, text]) => {
      const stored = key.startsWith(prefix) ? parseDigests(text) : undefined
      return stored ? [[key.slice(prefix.length), stored]] : []
    }),
  )
}

/**
 * The first MachineConfig in the cache that does not match the annotations of the ControllerConfig yet, and how, for the roles
 * that the pool selects. Without annotations nothing is expected.
 */
export function unseenTemplate(
  controllerConfig: ControllerConfig,
  pool: MachineConfigPool,
  fromTemplates: readonly MachineConfig[],
): string | undefined {
  const seen = new Map(fromTemplates.map((one) => [one.metadata.name, one]))
  for (const [role, stored] of storedTemplatesOf(controllerConfig)) {
    if (!selectsRole(pool, role)) continue
    const templates = `the templates of ${role}`
    for (const [name, digest] of stored) {
      const one = seen.get(name)
      if (!one) return `${name} of ${templates}, which does not exist yet`
      if (digestOfSpec(one) !== digest) return `${name} to match ${templates}`
    }
    const left = fromTemplates.find((one) => isOfRole(one, role) && !stored.has(one.metadata.name))
    if (left) return `${left.metadata.name} to be deleted: ${templates} no longer include it`
  }
  return undefined
}

/** MachineConfigs that the template controller deletes: only generated ones. */
function isOfRole({ metadata }: MachineConfig, role: string): boolean {
  return (
    metadata.labels?.[labels.role] === role &&
    Boolean(metadata.annotations?.[annotations.generatedByController]) &&
    metadata.deletionTimestamp === undefined
  )
}

function parseDigests(text: string): StoredTemplates | undefined {
  const value = jsonOrUndefined(text)
  if (!isObject(value)) return undefined
  return new Map(Object.entries(value).map(([name, digest]) => [name, String(digest)]))
}
