import type { Config } from '../config.ts'
import type { Item, StructShape } from '../field.ts'
import { entriesOf } from '../field.ts'
import { configShape } from '../shape.ts'
import type { Spec } from '../spec-version.ts'
import { internalSpec, specAtLeast, versionText } from '../spec-version.ts'
import { withoutSpecialBits } from './special-bits.ts'

/** The same config in the version that everything inside works with. Every older version is a subset of it. */
export function upgrade(config: Config, from: Spec): Config {
  if (from === internalSpec) return config
  const masked = specAtLeast(from, '3.4') ? config : withoutSpecialBits(config)
  const stated = stateFormerZeros(configShape, masked as unknown as Item, from)
  const { ignition, ...rest } = stated as unknown as Config
  return { ignition: { ...ignition, version: versionText(internalSpec) }, ...rest }
}

/**
 * Some texts could not be absent in older versions: leaving one out meant an empty one, which in a merge replaces what an
 * earlier config says. So that this stays so, it is written out.
 */
function stateFormerZeros(shape: StructShape, value: Item, from: Spec): Item {
  const changed: Record<string, unknown> = {}
  for (const [name, field] of entriesOf(shape)) {
    const stated = value[name]
    if (field.type === 'string') {
      const wasPlain = field.plainUntil && specAtLeast(field.plainUntil, from)
      if (wasPlain && stated === undefined) changed[name] = ''
    } else if (stated === undefined) continue
    else if (field.type === 'struct') {
      const inner = stateFormerZeros(field.shape, stated as Item, from)
      if (inner !== stated) changed[name] = inner
    } else if (field.type === 'items') {
      const items = stated as readonly Item[]
      const inner = items.map((item) => stateFormerZeros(field.shape, item, from))
      if (inner.some((item, i) => item !== items[i])) changed[name] = inner
    }
  }
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed }
}
