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

describe('the disruption of a change', () => {
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
  it('are counted per node until stopped', async () => {
    let notify: ChangeHandler<Node> = () => {}
    let listening = true
    const disruptions = new Disruptions({
      subscribe: (handler) => {
        notify = handler
        return () => void (listening = false)
      },
    })
    await notify({ type: 'added', object: node(true), initial: true })
    await notify({ type: 'updated', before: node(), object: node(true, 'drain-a') })
    await notify({
      type: 'updated',
      before: node(true, 'drain-a'),
      object: node(false, 'uncordon-a'),
    })
    await notify({ type: 'updated', before: node(), object: node(true) })
    expect(disruptions.of('worker-0')).toEqual({ cordons: 2, drains: 1 })
    expect(disruptions.of('worker-1')).toEqual({ cordons: 0, drains: 0 })
    disruptions.stop()
    expect(listening).toBe(false)
  })
})
