import type { Config } from '../spec/config.ts'
import type { Field, Item, StructShape } from '../spec/field.ts'
import type { Path } from '../report/report.ts'
import { configShape } from '../spec/shape.ts'
import { isSpecialMode } from '../spec/special-bits.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast, versionText } from '../spec/version.ts'
import { validate } from '../validate/validate.ts'
import type { ConversionReason } from '../report/cannot-convert.ts'

export interface Downgraded {
  readonly config: Config
  /** What would be lost, or what an older Ignition rejects. The config is usable only if this is empty. */
  readonly reasons: readonly ConversionReason[]
}

/**
 * Converts a config to an older version. A newer field is dropped if it has the default value; otherwise it is a reason against the
 * conversion.
 */
export function downgrade(config: Config, to: Spec): Downgraded {
  const reasons: ConversionReason[] = []
  const older = withoutNewer(configShape, config as unknown as Item, { to, reasons, path: [] })
  const { ignition, ...rest } = older as unknown as Config
  const result = { ignition: { ...ignition, version: versionText(to) }, ...rest }
  for (const { level, path, message } of validate(result).entries) {
    if (level === 'error') reasons.push({ path, why: message })
  }
  return { config: result, reasons }
}

interface Walk {
  readonly to: Spec
  readonly reasons: ConversionReason[]
  readonly path: Path
}

function withoutNewer(shape: StructShape, value: Item, walk: Walk): Item {
  const kept: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(shape)) {
    const stated = value[name]
    if (stated === undefined || stated === null) continue
    const at = { ...walk, path: [...walk.path, name] }
    if (field.since && !specAtLeast(walk.to, field.since)) {
      if (!isDefault(name, field, stated))
        addReason(at, `needs version ${versionText(field.since)} or later`)
    } else kept[name] = olderField(name, field, stated, at)
  }
  return kept
}

function olderField(name: string, field: Field, stated: unknown, walk: Walk): unknown {
  if (field.type === 'struct') return withoutNewer(field.shape, stated as Item, walk)
  if (field.type === 'items') {
    return (stated as Item[]).map((item, i) =>
      withoutNewer(field.shape, item, { ...walk, path: [...walk.path, i] }),
    )
  }
  if (name === 'mode' && isSpecialMode(stated as number) && !specAtLeast(walk.to, '3.4')) {
    addReason(walk, 'has setuid, setgid or sticky bits, which need version 3.4.0 or later')
  }
  return stated
}

/** Whether a field has the behaviour of an Ignition that does not know the field. */
function isDefault(name: string, field: Field, stated: unknown): boolean {
  if (field.type === 'struct') {
    return Object.entries(field.shape).every(([inner, innerField]) => {
      const value = (stated as Item)[inner]
      return value === undefined || value === null || isDefault(inner, innerField, value)
    })
  }
  if (field.type === 'strings' || field.type === 'items') return (stated as unknown[]).length === 0
  return name === 'shouldExist' ? stated === true : stated === false || stated === ''
}

function addReason({ reasons, path }: Walk, why: string): void {
  reasons.push({ path, why })
}
