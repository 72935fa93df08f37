import { describe, expect, it } from 'vitest'
import type { NodeSays } from './objects.fixture.ts'
import { nodeThat } from './objects.fixture.ts'
import type { Change } from '@machinist/kube/informer/change'
import type { Node } from '@machinist/kube/kinds/core'
import { concerns } from './inputs.ts'

const drains = ['drain', 'unknown'] as const

const updated = (before: NodeSays, after: NodeSays): Change<Node> => ({
  type: 'updated',
  before: nodeThat(before),
  object: nodeThat(after),
})

describe('what wakes the drain controller', () => {
  const asked = { desired: 'drain-x' }

  it.each<[string, Change<Node>, boolean]>([
    ['a node with a drain to do', { type: 'added', object: nodeThat(asked), initial: true }, true],
    ['a node without', { type: 'added', object: nodeThat({}), initial: true }, false],
    [
      'a node with an uncordon to do',
      { type: 'added', object: nodeThat({ desired: 'uncordon-x' }), initial: false },
      false,
    ],
    ['a node that is gone', { type: 'deleted', object: nodeThat({}), missed: false }, true],
    ['a new request', updated({}, asked), true],
    ['a request that is withdrawn', updated(asked, {}), true],
    ['somebody who uncordons', updated({ ...asked, unschedulable: true }, asked), true],
    [
      'a node whose drain is acknowledged',
      updated(asked, { ...asked, lastApplied: 'drain-x' }),
      true,
    ],
    ['anything else about the node', updated(asked, { ...asked, annotations: { a: 'b' } }), false],
    ['somebody who cordons a node without a drain', updated({}, { unschedulable: true }), false],
  ])('%s', (_, change, wakes) => {
    expect(concerns(change, drains)).toBe(wakes)
  })
})
