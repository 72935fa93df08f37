import type { StructShape } from '../spec/field.ts'
import type { JsonMember, JsonNode } from '../json/json.ts'
import type { Place } from '../report/report.ts'
import { versionText } from '../spec/version.ts'
import { keyHint } from '../validate/hints.ts'

/** Warns about a key that the version does not have. Ignition ignores it, so its value has no effect. */
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
  const isLost = hasContent(value) && !isLeftover(key, value)
  place.warn(message, isLost ? 'certain' : undefined)
}

/** Configs converted from spec 2 often still name the root file system, which is the default in spec 3. */
function isLeftover(key: string, value: JsonNode): boolean {
  return key === 'filesystem' && value.kind === 'string' && value.text === 'root'
}

/** More deeply nested lists and objects are not checked and count as content. */
const maxDepth = 8

function hasContent(node: JsonNode, depth = 0): boolean {
  if (depth > maxDepth) return true
  switch (node.kind) {
    case 'null':
      return false
    case 'string':
      return node.text !== ''
    case 'array':
      return node.items.some((item) => hasContent(item, depth + 1))
    case 'object':
      return node.members.some(({ value }) => hasContent(value, depth + 1))
    case 'bool':
    case 'number':
      return true
  }
}
