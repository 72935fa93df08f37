import { expect, it } from 'vitest'
import type { Node } from '../kinds/core.ts'
import { nodeFacts, notReadyText } from './node-facts.ts'

const node = (status: NonNullable<Node['status']>): Node => ({
  metadata: { name: 'a', creationTimestamp: '1970-01-01T00:00:01Z' },
  status,
})

it('a Node without a Ready condition is not ready', () => {
  expect(nodeFacts(node({ conditions: [{ type: 'Ready', status: 'True' }] }))).toEqual({
    created: 1000,
  })
  expect(nodeFacts(node({}))).toEqual({ created: 1000, notReadySince: 0 })
  const lastTransitionTime = '1970-01-01T00:01:00Z'
  const conditions = [{ type: 'Ready', status: 'Unknown', lastTransitionTime } as const]
  expect(nodeFacts(node({ conditions }))).toEqual({ created: 1000, notReadySince: 60_000 })
  expect(nodeFacts({ metadata: { name: 'a' } })).toEqual({ created: 0, notReadySince: 0 })
})

it('the text contains the time if it is known', () => {
  expect(notReadyText(60_000)).toBe('NotReady since 1970-01-01T00:01:00Z')
  expect(notReadyText(0)).toBe('NotReady')
})
