import type { Config } from '../spec/config.ts'
import type { Item, StructShape } from '../spec/field.ts'
import { entriesOf } from '../spec/field.ts'
import { configShape } from '../spec/shape.ts'
import type { Spec } from '../spec/version.ts'
import { internalSpec, specAtLeast, versionText } from '../spec/version.ts'
import { withoutSpecialBits } from '../spec/special-bits.ts'

/** Converts a config to the internal version, which is a superset of all older versions. */
export function upgrade(config: Config, from: Spec): Config {
  if (from === internalSpec) return config
  const masked = specAtLeast(from, '3.4') ? config : withoutSpecialBits(config)
  const stated = setFormerZeros(configShape, masked as unknown as Item, from)
  const { ignition, ...rest } = stated as unknown as Config
  return { ignition: { ...ignition, version: versionText(internalSpec) }, ...rest }
}

/**
 * Some strings could not be absent in older versions: an omitted one was empty, and a merge replaced the value of an earlier config
 * with it. To keep this behaviour, the empty string is set explicitly.
 */
function setFormerZeros(shape: StructShape, value: Item, from: Spec): Item {
  const changed: Record<string, unknown> = {}
  for (const [name, field] of entriesOf(shape)) {
    const stated = value[name]
    if (field.type === 'string') {
      const wasPlain = field.plainUntil && specAtLeast(field.plainUntil, from)
      if (wasPlain && stated === undefined) changed[name] = ''
    } else if (stated === undefined) continue
    else if (field.type === 'struct') {
      const inner = setFormerZeros(field.shape, stated as Item, from)
      if (inner !== stated) changed[name] = inner
    } else if (field.type === 'items') {
      const items = stated as readonly Item[]
      const inner = items.map((item) => setFormerZeros(field.shape, item, from))
      if (inner.some((item, i) => item !== items[i])) changed[name] = inner
    }
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed }
}
