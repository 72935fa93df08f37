import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testWriteContext } from '../write-context.fixture.ts'
import type { ApiObject } from '../kind-rules.ts'
import { nodeRules as rules } from './node.ts'

const node = (spec: object, status: object = {}): ApiObject => {
  const made: ApiObject = {
    metadata: { name: 'n' },
    spec: structuredClone(spec),
    status: structuredClone(status),
  }
  rules.complete?.(made)
  return made
}

const fieldsSaid = (after: ApiObject, before?: ApiObject): string[] =>
  (rules.validate?.(after, before, testWriteContext()) ?? []).map(({ field }) => field ?? '')

const four = '10.1.0.0/24'
const six = '2001:db8::/64'

describe('a node', () => {
  it.each([
    [{ podCIDR: four }, { podCIDR: four, podCIDRs: [four] }],
    [{ podCIDRs: [six, four] }, { podCIDR: six, podCIDRs: [six, four] }],
    [
      { podCIDR: four, podCIDRs: [six] },
      { podCIDR: four, podCIDRs: [four] },
    ],
    [{ podCIDR: '', podCIDRs: [] }, {}],
    [{ unschedulable: false }, {}],
    [{ unschedulable: true }, { unschedulable: true }],
  ])('sent with %j has %j', (sent, kept) => {
    expect(node(sent)['spec']).toEqual(kept)
  })

  it('defaults allocatable to capacity', () => {
    const capacity = { cpu: '4' }
    expect(node({}, { capacity })['status']).toMatchObject({ allocatable: capacity })
    expect(node({}, { capacity, allocatable: { cpu: '3' } })['status']).toMatchObject({
      allocatable: { cpu: '3' },
    })
  })

  it('gets a taint at creation only', () => {
    const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
    const bare = node({})
    rules.prepareForCreate?.(bare, testWriteContext())
    expect(bare['spec']).toEqual({ taints: [notReady] })
    rules.prepareForCreate?.(bare, testWriteContext())
    expect(bare['spec']).toEqual({ taints: [notReady] })
  })

  it.each([
    [{ podCIDRs: [four, six] }, []],
    [{ podCIDRs: [four, '10.2.0.0/24'] }, ['spec.podCIDRs']],
    [{ podCIDRs: ['x'] }, ['spec.podCIDRs[0]']],
    [{ taints: [{ key: 'a', effect: 'NoExecute' }] }, []],
    [{ taints: [{ key: 'a', effect: 'No' }] }, ['metadata.taints[0].effect']],
    [{ taints: [{ key: 'a', value: '-', effect: 'NoExecute' }] }, ['metadata.taints[0].value']],
  ])('with %j is invalid in %j', (spec, fields) => {
    expect(fieldsSaid(node(spec))).toEqual(fields)
  })

  it('has immutable podCIDRs and providerID', () => {
    const known = { podCIDR: four, providerID: 'p' }
    expect(fieldsSaid(node(known), node({}))).toEqual([])
    expect(fieldsSaid(node(known), node(known))).toEqual([])
    expect(fieldsSaid(node({}), node(known))).toEqual(['spec.podCIDRs', 'spec.providerID'])
  })

  it('of any shape is valid or not, and never throws', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.object({ maxDepth: 1 }))
    const names = ['taints', 'podCIDR', 'podCIDRs', 'providerID', 'capacity', 'addresses']
    const fields = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.array(value)))
    fc.assert(
      fc.property(fields, fields, (spec, status) => {
        const made = node(spec, status)
        expect(fieldsSaid(made, made).every((field) => field !== '')).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
