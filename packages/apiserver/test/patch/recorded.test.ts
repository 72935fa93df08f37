import { describe, expect, it } from 'vitest'
import { isObject } from '@machinist/core/encoding/json'
import type { KubeJson } from '../../src/patch/apply/track-fields.ts'
import { recorded, replayed } from './replay.ts'

/*
 * Compares with recorded answers of a real kube-apiserver. Validation, defaults, generation and creationTimestamp are
 * not compared: other folders cover them.
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

describe('rejected patches', () => {
  it.for(recorded('recorded-refusals.json'))('$name', ({ kind, steps }) => {
    const last = steps.at(-1)!
    const before = steps.length > 1 ? steps[0]!.answer : undefined
    const { code, object } = replayed(kind, last, 1, before)
    const isTaken = last.code < 300 || isOthersRefusal(last.code, last.answer)
    expect(isTaken ? code : object).toEqual(isTaken ? 200 : last.answer)
  })
})

/** Errors of validators that run after the patch. */
function isOthersRefusal(code: number, answer: KubeJson): boolean {
  const message = String(answer['message'])
  if (code === 422)
    return !message.startsWith('the server rejected') && !message.startsWith('Patch')
  return code === 400 && message.startsWith('the name of the object')
}

/** The server adds defaults to these kinds. */
const completed = new Set(['Deployment', 'DaemonSet', 'Pod', 'Service', 'Node', 'Namespace'])

/** The server's value, reduced to the fields of ours. */
function like(they: unknown, we: unknown): unknown {
  if (Array.isArray(they) && Array.isArray(we)) {
    return they.map((item, i) => like(item, i < we.length ? we[i] : item))
  }
  if (!isObject(they) || !isObject(we)) return they
  return Object.fromEntries(Object.keys(we).map((key) => [key, like(they[key], we[key])]))
}

/** A whole error; of an object its owners, including the order of their keys. */
function owners(object: KubeJson): unknown {
  if (object['kind'] === 'Status') return object
  const { managedFields } = object['metadata'] as Record<string, unknown>
  return JSON.stringify(managedFields, undefined, 1)
}

/** The server counts template changes of a DaemonSet in an annotation. */
const uncounted = { 'deprecated.daemonset.template.generation': undefined }

/** The object without server-side fields and fields that this write cannot change. */
function content(object: KubeJson, subresource: string | undefined): unknown {
  const { apiVersion, kind, metadata, status, ...rest } = object
  if (subresource) return { status }
  const { labels, finalizers, ownerReferences, ...more } = metadata as Record<string, unknown>
  const annotations = { ...(more['annotations'] as object), ...uncounted }
  return { apiVersion, kind, labels, annotations, finalizers, ownerReferences, ...rest }
}
