import type { Config } from '../config.ts'
import type { Reason } from '../convert/cannot-convert.ts'
import { withoutSpecialBits } from '../convert/special-bits.ts'
import type { Field, Item, StructShape } from '../field.ts'
import type { Path } from '../report.ts'
import { configShape } from '../shape.ts'
import { validate } from '../validate/validate.ts'
import type { Spec2Config } from './config.ts'
import { deduplicate, foreignUsers } from './deduplicate.ts'
import { lostInSpec3 } from './lost-in-spec3.ts'
import { toSpec3 } from './to-spec3.ts'

export interface UpgradedSpec2 {
  readonly config: Config
  /** What would be lost or is wrong; the config is usable only if there is nothing. */
  readonly reasons: readonly Reason[]
}

/** The config in the version that everything inside works with, without duplicates. */
export function upgradeSpec2(old: Spec2Config): UpgradedSpec2 {
  const config = withoutSpecialBits(toSpec3(deduplicate(old)))
  const invalid = validate(config).entries.flatMap(({ level, path, message }) =>
    level === 'error' ? [{ path: pathByKeys(path, config), why: message }] : [],
  )
  return { config, reasons: [...foreignUsers(old), ...lostInSpec3(old), ...invalid] }
}

/** Items stand at other places than in the text that was read, so they are named by their key. */
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
