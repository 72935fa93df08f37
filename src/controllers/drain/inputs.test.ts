import { describe, expect, it } from 'vitest'
import type { Change } from '@machinist/kube/informer/change'
import type { Node } from '@machinist/kube/kinds/core'
import type { NodeSketch } from './objects.fixture.ts'
import { nodeWith } from './objects.fixture.ts'
import { isRelevant } from './inputs.ts'

const drains = ['drain', 'unknown'] as const

const updated = (before: NodeSketch, after: NodeSketch): Change<Node> => ({
  type: 'updated',
  before: nodeWith(before),
  object: nodeWith(after),
})

describe('a change that is relevant for the drain controller', () => {
  const requested = { desired: 'drain-x' }

  it.each<[string, Change<Node>, boolean]>([
    [
      'a node with a requested drain',
      { type: 'added', object: nodeWith(requested), initial: true },
      true,
    ],
    ['a node without a request', { type: 'added', object: nodeWith({}), initial: true }, false],
    [
      'a node with a requested uncordon',
      { type: 'added', object: nodeWith({ desired: 'uncordon-x' }), initial: false },
      false,
    ],
    ['a deleted node', { type: 'deleted', object: nodeWith({}), missed: false }, true],
    ['a new request', updated({}, requested), true],
    ['a request that is withdrawn', updated(requested, {}), true],
    ['an uncordon by a user', updated({ ...requested, unschedulable: true }, requested), true],
    [
      'a node whose drain is acknowledged',
      updated(requested, { ...requested, lastApplied: 'drain-x' }),
      true,
    ],
    ['another annotation', updated(requested, { ...requested, annotations: { a: 'b' } }), false],
    ['a cordon by a user without a drain', updated({}, { unschedulable: true }), false],
  ])('%s', (_, change, expected) => {
    expect(isRelevant(change, drains)).toBe(expected)
  })
})
