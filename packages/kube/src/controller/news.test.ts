import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/resource'
import { isNews } from './news.ts'

const object = (labels: Record<string, string>, resourceVersion: string): KubeObject => ({
  metadata: { name: 'a', labels, resourceVersion },
})
const labels = ({ metadata }: Readonly<KubeObject>): unknown => metadata.labels

describe('news', () => {
  it('are changes of what somebody looks at', () => {
    const before = object({ a: '1' }, '1')
    const updated = (after: KubeObject) => ({ type: 'updated', before, object: after }) as const
    expect(isNews(updated(object({ a: '2' }, '2')), labels)).toBe(true)
    expect(isNews(updated(object({ a: '1' }, '2')), labels)).toBe(false)
  })

  it('are all that comes or goes', () => {
    const one = object({}, '1')
    expect(isNews({ type: 'added', object: one, initial: true }, labels)).toBe(true)
    expect(isNews({ type: 'deleted', object: one, missed: false }, labels)).toBe(true)
  })
})
