import type { Config } from '../spec/config.ts'
import type { ConversionReason } from '../report/cannot-convert.ts'
import { withoutSpecialBits } from '../spec/special-bits.ts'
import type { Field, Item, StructShape } from '../spec/field.ts'
import type { Path } from '../report/report.ts'
import { configShape } from '../spec/shape.ts'
import { validate } from '../validate/validate.ts'
import type { Spec2Config } from './config.ts'
import { deduplicate, foreignUsers } from './deduplicate.ts'
import { lostInSpec3 } from './lost-in-spec3.ts'
import { toSpec3 } from './to-spec3.ts'

export interface UpgradedSpec2 {
  readonly config: Config
  /** What would be lost or is invalid. The config is usable only if this is empty. */
  readonly reasons: readonly ConversionReason[]
}

/** Converts a config of spec 2 to the internal version, without duplicates. */
export function upgradeSpec2(old: Spec2Config): UpgradedSpec2 {
  const config = withoutSpecialBits(toSpec3(deduplicate(old)))
  const invalid = validate(config).entries.flatMap(({ level, path, message }) =>
    level === 'error' ? [{ path: pathByKeys(path, config), why: message }] : [],
  )
  return { config, reasons: [...foreignUsers(old), ...lostInSpec3(old), ...invalid] }
}

/** Identifies items by their key, because their positions differ from those in the source. */
function pathByKeys(path: Path, config: Config): Path {
  let shape: StructShape | undefined = configShape
  let value: unknown = config
  const named: (string | number)[] = []
  for (let i = 0; i < path.length; i++) {
    const step = path[i]!
    const field: Field | undefined = shape?.[step]
    value = (value as Item | undefined)?.[step]
    named.push(step)
    shape = field?.type === 'struct' || field?.type === 'items' ? field.shape : undefined
    const index = path[i + 1]
    if (field?.type !== 'items' || typeof index !== 'number') continue
    value = (value as readonly Item[])[index]
    named.push(field.key(value as object) || index)
    i += 1
  }
  return named
}
