import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { arbitraryConfigMap, arbitraryJson } from '../../../test/patch/arbitrary.ts'
import { mistakeOf } from '../../../test/patch/mistake-of.ts'
import { kindOf } from '../../../test/patch/replay.ts'
import { applyStrategicMergePatch } from './strategic-merge.ts'

const pod = kindOf('Pod')
const node = kindOf('Node')

describe('a strategic merge patch', () => {
  it('cordons as kubectl does, and uncordons', () => {
    const live = { spec: { podCIDR: '10.0.0.0/24' } }
    const cordoned = applyStrategicMergePatch(live, { spec: { unschedulable: true } }, node)
    expect(cordoned).toEqual({ spec: { podCIDR: '10.0.0.0/24', unschedulable: true } })
    expect(applyStrategicMergePatch(cordoned, { spec: { unschedulable: null } }, node)).toEqual(
      live,
    )
  })

  it('replaces taints', () => {
    const live = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }
    const patch = { spec: { taints: [{ key: 'b', effect: 'NoExecute' }] } }
    expect(applyStrategicMergePatch(live, patch, node)).toEqual(patch)
  })

  it('merges containers by name, including nested fields', () => {
    const live = {
      spec: {
        containers: [
          { name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] },
          { name: 'b', image: 'b:1' },
        ],
      },
    }
    const env = [{ name: 'Y', value: '2' }]
    const patch = { spec: { containers: [{ name: 'a', image: 'a:2', env }] } }
    expect(applyStrategicMergePatch(live, patch, pod)).toEqual({
      spec: {
        containers: [
          {
            name: 'a',
            image: 'a:2',
            env: [
              { name: 'Y', value: '2' },
              { name: 'X', value: '1' },
            ],
          },
          { name: 'b', image: 'b:1' },
        ],
      },
    })
  })

  it('merges ports by number only', () => {
    const container = (ports: object[]): object => ({
      spec: { containers: [{ name: 'a', ports }] },
    })
    const live = container([{ containerPort: 80, protocol: 'TCP' }])
    const patch = container([{ containerPort: 80, protocol: 'UDP' }])
    expect(applyStrategicMergePatch(live as Record<string, unknown>, patch, pod)).toEqual(patch)
  })

  it('adds finalizers, and removes single ones', () => {
    const live = { metadata: { finalizers: ['a', 'b'] } }
    const added = applyStrategicMergePatch(live, { metadata: { finalizers: ['c', 'a'] } }, node)
    expect(added).toEqual({ metadata: { finalizers: ['c', 'a', 'b'] } })
    const less = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a', 'none'] } }
    expect(applyStrategicMergePatch(added, less, node)).toEqual({
      metadata: { finalizers: ['c', 'b'] },
    })
  })

  it('drops directives and nulls in new values', () => {
    const patch = {
      metadata: { labels: { a: '1', b: null }, annotations: { $patch: 'delete' } },
      status: {
        conditions: [
          { type: 'A', reason: null },
          { $patch: 'delete', type: 'B' },
        ],
      },
    }
    expect(applyStrategicMergePatch({}, patch, node)).toEqual({
      metadata: { labels: { a: '1' } },
      status: { conditions: [{ type: 'A' }] },
    })
  })

  it('keeps the position of items that only the server has', () => {
    const types = (...names: string[]): object => ({
      status: { conditions: names.map((type) => ({ type })) },
    })
    const live = types('A', 'B', 'C', 'D') as Record<string, unknown>
    const order = [{ type: 'D' }, { type: 'New' }, { type: 'B' }]
    const patch = {
      status: { '$setElementOrder/conditions': order, conditions: [{ type: 'New' }] },
    }
    expect(applyStrategicMergePatch(live, patch, node)).toEqual(types('A', 'C', 'D', 'New', 'B'))
  })

  it('does not modify the object and the patch', () => {
    const live = { metadata: { labels: { a: '1' }, finalizers: ['x'] } }
    const patch = { metadata: { labels: { a: null, b: '2' }, finalizers: ['y'] } }
    const before = JSON.stringify([live, patch])
    applyStrategicMergePatch(live, patch, node)
    expect(JSON.stringify([live, patch])).toBe(before)
  })

  it('is rejected for custom resources', () => {
    const rejected = thrownBy(() => applyStrategicMergePatch({}, {}, kindOf('MachineConfigPool')))
    expect(rejected).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' })
  })

  it('of any content throws only StatusError', () => {
    fc.assert(
      fc.property(arbitraryConfigMap, arbitraryJson, arbitraryJson, (object, status, patch) => {
        const live = { ...object, status }
        expect(mistakeOf(() => applyStrategicMergePatch(live, patch, node))).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  it('of an object with itself changes nothing', () => {
    fc.assert(
      fc.property(arbitraryConfigMap, (object) => {
        const kind = kindOf('ConfigMap')
        expect(applyStrategicMergePatch(object, object, kind)).toEqual(object)
      }),
      { numRuns: 100 },
    )
  })
})
