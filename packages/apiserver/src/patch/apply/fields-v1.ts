import { isObject } from '@machinist/core/json'
import { FieldSet } from './field-set.ts'
import type { PathElement } from './path-element.ts'
import { readElement } from './path-element.ts'

/** The wire form of a set of fields, keys in the order in which kube-apiserver prints them. */
export type FieldsV1 = { readonly [step: string]: FieldsV1 }

export function writeFields(set: FieldSet): FieldsV1 {
  return Object.fromEntries(set.steps().map((step) => [step, writeStep(set, step)]))
}

/** The set, or undefined where the wire form is broken. Steps of kinds that are not known are left out. */
export function readFields(fields: unknown): FieldSet | undefined {
  return isObject(fields) ? readLevel(fields, 0) : undefined
}

/** Deeper than any object that is served; a guard against written-up nonsense. */
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
