import { isObject } from '@machinist/core/encoding/json'
import { FieldSet } from './field-set.ts'
import type { PathElement } from './path-element.ts'
import { readElement } from './path-element.ts'

/** The wire format of a field set, keys in kube-apiserver's order. */
export type FieldsV1 = { readonly [step: string]: FieldsV1 }

export function writeFields(set: FieldSet): FieldsV1 {
  return Object.fromEntries(set.steps().map((step) => [step, writeStep(set, step)]))
}

/** Parses a field set; undefined if it is invalid. Unknown element types are ignored. */
export function readFields(fields: unknown): FieldSet | undefined {
  return isObject(fields) ? readLevel(fields, 0) : undefined
}

/** Deeper than any stored object, to limit recursion. */
const maxDepth = 200

function writeStep(set: FieldSet, step: PathElement): FieldsV1 {
  const below = set.below(step)
  if (below.isEmpty) return {}
  const rest = writeFields(below)
  return set.hasMember(step) ? { '.': {}, ...rest } : rest
}

function readLevel(fields: Record<string, unknown>, depth: number): FieldSet | undefined {
  if (depth > maxDepth) return undefined
  const members: PathElement[] = []
  const children: [PathElement, FieldSet][] = []
  for (const [text, content] of Object.entries(fields)) {
    if (text === '.') continue
    if (text[1] !== ':' || !isObject(content)) return undefined
    const step = readElement(text)
    if (step === undefined) {
      if ('fkvi'.includes(text[0]!)) return undefined
      continue
    }
    const below = readLevel(content, depth + 1)
    if (!below) return undefined
    if (below.isEmpty || Object.hasOwn(content, '.')) members.push(step)
    children.push([step, below])
  }
  return FieldSet.of(members, children)
}
