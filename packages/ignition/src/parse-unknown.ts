import type { StructShape } from './field.ts'
import type { JsonMember, JsonNode } from './parse-json.ts'
import type { Place } from './report.ts'
import { versionText } from './spec-version.ts'
import { keyHint } from './validate/hints.ts'

/** Ignition ignores a key that its version does not have. Whatever stands there reaches no machine. */
export function warnOfUnknownKey(
  { key, value }: JsonMember,
  shape: StructShape,
  place: Place,
): void {
  const since = Object.hasOwn(shape, key) ? shape[key]!.since : undefined
  const why = since
    ? `it needs version ${versionText(since)} or later`
    : 'the spec has no such key here'
  const hint = keyHint(key, shape)
  const message = `is ignored: ${why}${hint === undefined ? '' : `; ${hint}`}`
  const isLost = saysSomething(value) && !isLeftover(key, value)
  place.warn(message, isLost ? 'certain' : undefined)
}

/** Configs that came from spec 2 often still name the root file system, which is what spec 3 writes to anyway. */
function isLeftover(key: string, value: JsonNode): boolean {
  return key === 'filesystem' && value.kind === 'string' && value.text === 'root'
}

/** More levels of empty lists and objects are not looked through: they count as something. */
const deepest = 8

function saysSomething(node: JsonNode, depth = 0): boolean {
  if (depth > deepest) return true
  switch (node.kind) {
    case 'null':
      return false
    case 'string':
      return node.text !== ''
    case 'array':
      return node.items.some((item) => saysSomething(item, depth + 1))
    case 'object':
      return node.members.some(({ value }) => saysSomething(value, depth + 1))
    case 'bool':
    case 'number':
      return true
  }
}
