import type { Config } from '../config.ts'
import type { Field, Item, StructShape } from '../field.ts'
import type { Path } from '../report.ts'
import { configShape } from '../shape.ts'
import type { Spec } from '../spec-version.ts'
import { specAtLeast, versionText } from '../spec-version.ts'
import { validate } from '../validate/validate.ts'
import type { Reason } from './cannot-convert.ts'

export interface Downgraded {
  readonly config: Config
  /** What the config would lose, or what an older Ignition would refuse; usable only if empty. */
  readonly reasons: readonly Reason[]
}

/**
 * The same config for an Ignition that knows only `to`. Fields that are newer are left out where they say what holds without
 * them anyway; where they say more, that is a reason against.
 */
export function downgrade(config: Config, to: Spec): Downgraded {
  const reasons: Reason[] = []
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
  readonly reasons: Reason[]
  readonly path: Path
}

function withoutNewer(shape: StructShape, value: Item, walk: Walk): Item {
  const kept: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(shape)) {
    const stated = value[name]
    if (stated === undefined || stated === null) continue
    const at = { ...walk, path: [...walk.path, name] }
    if (field.since && !specAtLeast(walk.to, field.since)) {
      if (!goesWithoutSaying(name, field, stated))
        refuse(at, `needs version ${versionText(field.since)} or later`)
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
  if (name === 'mode' && hasSpecialBits(stated as number) && !specAtLeast(walk.to, '3.4')) {
    refuse(walk, 'has setuid, setgid or sticky bits, which need version 3.4.0 or later')
  }
  return stated
}

/** Whether a newer field says only what an Ignition that does not know it does anyway. */
function goesWithoutSaying(name: string, field: Field, stated: unknown): boolean {
  if (field.type === 'struct') {
    return Object.entries(field.shape).every(([inner, innerField]) => {
      const value = (stated as Item)[inner]
      return value === undefined || value === null || goesWithoutSaying(inner, innerField, value)
    })
  }
  if (field.type === 'strings' || field.type === 'items') return (stated as unknown[]).length === 0
  return name === 'shouldExist' ? stated === true : stated === false || stated === ''
}

const hasSpecialBits = (mode: number): boolean => (mode & 0o7000) !== 0

function refuse({ reasons, path }: Walk, why: string): void {
  reasons.push({ path, why })
}
