import { describe, expect, it } from 'vitest'
import type { ChangeHandler } from '@machinist/kube/informer/change'
import type { Node } from '@machinist/kube/kinds/core'
import { disruption, Disruptions } from './disruptions.ts'

const drainKey = 'machineconfiguration.openshift.io/desiredDrain'

const node = (unschedulable?: boolean, drain?: string): Node => ({
  metadata: {
    name: 'worker-0',
    ...(drain !== undefined && { annotations: { [drainKey]: drain } }),
  },
  ...(unschedulable !== undefined && { spec: { unschedulable } }),
})

describe('what a change of a Node means', () => {
  it.each([
    [node(), node(true), { cordons: 1, drains: 0 }],
    [node(false), node(true), { cordons: 1, drains: 0 }],
    [node(true), node(true), { cordons: 0, drains: 0 }],
    [node(true), node(false), { cordons: 0, drains: 0 }],
    [node(), node(undefined, 'drain-a'), { cordons: 0, drains: 1 }],
    [node(true, 'drain-a'), node(true, 'drain-a'), { cordons: 0, drains: 0 }],
    [node(true, 'uncordon-a'), node(true, 'drain-b'), { cordons: 0, drains: 1 }],
    [node(true, 'drain-a'), node(false, 'uncordon-a'), { cordons: 0, drains: 0 }],
  ])('%j → %j', (before, after, expected) => {
    expect(disruption(before, after)).toEqual(expected)
  })
})

describe('all changes', () => {
  it('are counted for each node until it is enough', async () => {
    let tell: ChangeHandler<Node> = () => {}
    let listening = true
    const disruptions = new Disruptions({
      subscribe: (handler) => {
        tell = handler
        return () => void (listening = false)
      },
    })
    await tell({ type: 'added', object: node(true), initial: true })
    await tell({ type: 'updated', before: node(), object: node(true, 'drain-a') })
    await tell({
      type: 'updated',
      before: node(true, 'drain-a'),
      object: node(false, 'uncordon-a'),
    })
    await tell({ type: 'updated', before: node(), object: node(true) })
    expect(disruptions.of('worker-0')).toEqual({ cordons: 2, drains: 1 })
    expect(disruptions.of('worker-1')).toEqual({ cordons: 0, drains: 0 })
    disruptions.stop()
    expect(listening).toBe(false)
  })
})
