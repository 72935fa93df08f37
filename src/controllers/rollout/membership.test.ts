import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pool } from '../../fleet/pools/pool.fixture.ts'
import { assignPool, selectionOf } from '../../fleet/pools/pool-of-node.ts'
import { Membership } from './membership.ts'

const role = (...roles: readonly string[]): Record<string, string> =>
  Object.fromEntries(roles.map((each) => [`node-role.kubernetes.io/${each}`, '']))

function withPools(...names: readonly string[]): Membership {
  const membership = new Membership()
  for (const name of names) membership.putPool(pool({ name }))
  return membership
}

describe('the members of a pool', () => {
  const threeMasters = [role('master'), role('master'), role('master')]
  const threeInfra = [role('worker', 'infra'), role('worker', 'infra'), role('worker', 'infra')]
  const windows = { ...role('worker'), 'kubernetes.io/os': 'windows' }
  it.each<[string, string[], Record<string, string>[], string, number]>([
    [
      'no nodes of other pools',
      ['master', 'worker'],
      [{}, {}, {}, role('worker'), role('worker'), role('worker')],
      'master',
      0,
    ],
    [
      'control plane nodes',
      ['master', 'worker'],
      [role('master'), role('master'), role('worker'), role('worker')],
      'master',
      2,
    ],
    ['a custom pool', ['master', 'worker', 'infra'], [...threeMasters, ...threeInfra], 'infra', 3],
    ['no Windows nodes', ['worker'], [windows], 'worker', 0],
    [
      'nodes of a custom pool that does not exist',
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

  it('change with labels, which affects both pools', () => {
    const membership = withPools('worker', 'infra')
    expect([...membership.putNode('n', role('worker'))]).toEqual(['worker'])
    expect([...membership.putNode('n', role('worker', 'infra'))]).toEqual(['worker', 'infra'])
    expect([...membership.members('worker')]).toEqual([])
    expect([...membership.members('infra')]).toEqual(['n'])
    expect([...membership.removeNode('n')]).toEqual(['infra'])
    expect([...membership.removeNode('n')]).toEqual([])
  })

  it('do not include a node that two custom pools select; both list it', () => {
    const membership = withPools('worker', 'a', 'b')
    membership.putNode('n', role('worker', 'b', 'a'))
    const contest = [{ node: 'n', pools: ['a', 'b'] }]
    expect([membership.contestedNodes('a'), membership.contestedNodes('b')]).toEqual([
      contest,
      contest,
    ])
    expect(membership.contestedNodes('worker')).toEqual([])
    membership.putNode('n', role('worker', 'a'))
    expect(membership.contestedNodes('b')).toEqual([])
    expect([...membership.members('a')]).toEqual(['n'])
  })
})

it('the membership after any changes equals one computed from scratch', () => {
  const names = ['master', 'worker', 'a', 'b']
  const step = fc.oneof(
    fc.record({ pool: fc.constantFrom(...names), exists: fc.boolean() }),
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
          if (each.exists) {
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
        const expected = assignPool(its, pools.values())
        expect(membership.assignment(node)).toEqual(expected)
      }
      for (const name of names) {
        const members = [...labels].filter(
          ([, its]) => assignPool(its, pools.values()).pool === name,
        )
        expect([...membership.members(name)].sort()).toEqual(members.map(([n]) => n).sort())
      }
    }),
  )
})
