import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pool } from '../../fleet/rollout/scene.fixture.ts'
import { Membership } from './membership.ts'
import { belongingOf, selectionOf } from '../../fleet/pools/pool-of-node.ts'

const role = (...roles: readonly string[]): Record<string, string> =>
  Object.fromEntries(roles.map((each) => [`node-role.kubernetes.io/${each}`, '']))

function withPools(...names: readonly string[]): Membership {
  const membership = new Membership()
  for (const name of names) membership.putPool(pool({ name }))
  return membership
}

describe('who is in a pool', () => {
  const threeMasters = [role('master'), role('master'), role('master')]
  const threeInfra = [role('worker', 'infra'), role('worker', 'infra'), role('worker', 'infra')]
  const windows = { ...role('worker'), 'kubernetes.io/os': 'windows' }
  it.each<[string, string[], Record<string, string>[], string, number]>([
    [
      'nobody of others',
      ['master', 'worker'],
      [{}, {}, {}, role('worker'), role('worker'), role('worker')],
      'master',
      0,
    ],
    [
      'masters',
      ['master', 'worker'],
      [role('master'), role('master'), role('worker'), role('worker')],
      'master',
      2,
    ],
    ['a custom pool', ['master', 'worker', 'infra'], [...threeMasters, ...threeInfra], 'infra', 3],
    ['no Windows', ['worker'], [windows], 'worker', 0],
    [
      'those of a pool that is not there',
      ['worker'],
      [...threeMasters, ...threeInfra, windows],
      'worker',
      3,
    ],
  ])('%s', (_, pools, labels, name, count) => {
    const membership = withPools(...pools)
    for (const [i, each] of labels.entries()) membership.putNode(`n${i}`, each)
    expect(membership.members(name).size).toBe(count)
  })

  it('changes with labels, and tells both pools', () => {
    const membership = withPools('worker', 'infra')
    expect([...membership.putNode('n', role('worker'))]).toEqual(['worker'])
    expect([...membership.putNode('n', role('worker', 'infra'))]).toEqual(['worker', 'infra'])
    expect([...membership.members('worker')]).toEqual([])
    expect([...membership.members('infra')]).toEqual(['n'])
    expect([...membership.removeNode('n')]).toEqual(['infra'])
    expect([...membership.removeNode('n')]).toEqual([])
  })

  it('is told to both pools that want the same node', () => {
    const membership = withPools('worker', 'a', 'b')
    membership.putNode('n', role('worker', 'b', 'a'))
    const contest = [{ node: 'n', pools: ['a', 'b'] }]
    expect([membership.contests('a'), membership.contests('b')]).toEqual([contest, contest])
    expect(membership.contests('worker')).toEqual([])
    membership.putNode('n', role('worker', 'a'))
    expect(membership.contests('b')).toEqual([])
    expect([...membership.members('a')]).toEqual(['n'])
  })
})

it('after any changes is what one would work out anew', () => {
  const names = ['master', 'worker', 'a', 'b']
  const step = fc.oneof(
    fc.record({ pool: fc.constantFrom(...names), there: fc.boolean() }),
    fc.record({ node: fc.constantFrom('x', 'y', 'z'), roles: fc.option(fc.subarray(names)) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const membership = new Membership()
      const pools = new Map<string, ReturnType<typeof selectionOf>>()
      const labels = new Map<string, Record<string, string>>()
      for (const each of steps) {
        if ('pool' in each) {
          const object = pool({ name: each.pool })
          if (each.there) {
            membership.putPool(object)
            pools.set(each.pool, selectionOf(object))
          } else {
            membership.removePool(each.pool)
            pools.delete(each.pool)
          }
        } else if (each.roles) {
          membership.putNode(each.node, role(...each.roles))
          labels.set(each.node, role(...each.roles))
        } else {
          membership.removeNode(each.node)
          labels.delete(each.node)
        }
      }
      for (const [node, its] of labels) {
        const expected = belongingOf(its, pools.values())
        expect(membership.belonging(node)).toEqual(expected)
      }
      for (const name of names) {
        const members = [...labels].filter(
          ([, its]) => belongingOf(its, pools.values()).pool === name,
        )
        expect([...membership.members(name)].sort()).toEqual(members.map(([n]) => n).sort())
      }
    }),
  )
})
