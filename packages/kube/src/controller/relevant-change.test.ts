import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { isRelevantChange } from './relevant-change.ts'

const object = (labels: Record<string, string>, resourceVersion: string): KubeObject => ({
  metadata: { name: 'a', labels, resourceVersion },
})
const labels = ({ metadata }: Readonly<KubeObject>): unknown => metadata.labels

describe('isRelevantChange', () => {
  it('is true for changes of the selected part', () => {
    const before = object({ a: '1' }, '1')
    const updated = (after: KubeObject) => ({ type: 'updated', before, object: after }) as const
    expect(isRelevantChange(updated(object({ a: '2' }, '2')), labels)).toBe(true)
    expect(isRelevantChange(updated(object({ a: '1' }, '2')), labels)).toBe(false)
  })

  it('is true for added and deleted objects', () => {
    const one = object({}, '1')
    expect(isRelevantChange({ type: 'added', object: one, initial: true }, labels)).toBe(true)
    expect(isRelevantChange({ type: 'deleted', object: one, missed: false }, labels)).toBe(true)
  })
})
