import { describe, expect, it } from 'vitest'
import type { KubeJson } from '../../src/patch/apply/tracked.ts'
import { isObject } from '@machinist/core/json'
import { recorded, replayed } from './replay.ts'

/*
 * A real kube-apiserver was asked; ours must say the same. What other rooms of the server do is left out of the
 * comparison: validation of objects, defaults, generation and times of creation.
 */

describe('sequences of writes', () => {
  it.for(recorded('recorded-sequences.json'))('$kind: $name', ({ kind, steps }) => {
    const ours: unknown[] = []
    const theirs: unknown[] = []
    let before: KubeJson | undefined
    for (const [i, step] of steps.entries()) {
      if (!isOthersRefusal(step.code, step.answer)) {
        const { code, object } = replayed(kind, step, i, before)
        const isNew = step.request.verb === 'create' || (!before && completed.has(kind))
        const { subresource } = step.request
        const [we, they] = [object, step.answer].map((one) => content(one, subresource))
        const seen = isNew || step.code >= 300 ? undefined : they
        ours.push([i, code, owners(object), seen && we])
        theirs.push([
          i,
          step.code,
          owners(step.answer),
          completed.has(kind) ? like(seen, we) : seen,
        ])
      }
      if (step.code < 300) before = step.answer
    }
    expect(ours).toEqual(theirs)
  })
})

describe('patches that are refused', () => {
  it.for(recorded('recorded-refusals.json'))('$name', ({ kind, steps }) => {
    const last = steps.at(-1)!
    const before = steps.length > 1 ? steps[0]!.answer : undefined
    const { code, object } = replayed(kind, last, 1, before)
    const isTaken = last.code < 300 || isOthersRefusal(last.code, last.answer)
    expect(isTaken ? code : object).toEqual(isTaken ? 200 : last.answer)
  })
})

/** Refusals of rooms that look at the object after us. */
function isOthersRefusal(code: number, answer: KubeJson): boolean {
  const message = String(answer['message'])
  if (code === 422)
    return !message.startsWith('the server rejected') && !message.startsWith('Patch')
  return code === 400 && message.startsWith('the name of the object')
}

/** A server completes these with defaults: there it may have more than we. */
const completed = new Set(['Deployment', 'DaemonSet', 'Pod', 'Service', 'Node', 'Namespace'])

/** Of what the server has, only what we speak of. */
function like(they: unknown, we: unknown): unknown {
  if (Array.isArray(they) && Array.isArray(we)) {
    return they.map((item, i) => like(item, i < we.length ? we[i] : item))
  }
  if (!isObject(they) || !isObject(we)) return they
  return Object.fromEntries(Object.keys(we).map((key) => [key, like(they[key], we[key])]))
}

/** A refusal whole, of an object its owners, in the order of their keys too. */
function owners(object: KubeJson): unknown {
  if (object['kind'] === 'Status') return object
  const { managedFields } = object['metadata'] as Record<string, unknown>
  return JSON.stringify(managedFields, undefined, 1)
}

/** The server counts the changes of a DaemonSet's template in an annotation. */
const uncounted = { 'deprecated.daemonset.template.generation': undefined }

/** What is left of an object when the server's own fields, and what this write cannot reach, are put aside. */
function content(object: KubeJson, subresource: string | undefined): unknown {
  const { apiVersion, kind, metadata, status, ...rest } = object
  if (subresource) return { status }
  const { labels, finalizers, ownerReferences, ...more } = metadata as Record<string, unknown>
  const annotations = { ...(more['annotations'] as object), ...uncounted }
  return { apiVersion, kind, labels, annotations, finalizers, ownerReferences, ...rest }
}
