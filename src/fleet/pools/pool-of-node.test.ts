import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pool } from './pool.fixture.ts'
import { assignPool, poolOf, selectionOf } from './pool-of-node.ts'

const names = ['master', 'worker', 'infra', 'infra2'] as const
const selections = names.map((name) => selectionOf(pool({ name })))
const roles = (...list: readonly string[]): Record<string, string> =>
  Object.fromEntries(list.map((role) => [`node-role.kubernetes.io/${role}`, '']))

describe('the pool of a node', () => {
  it.each([
    [[], undefined],
    [['gpu'], undefined],
    [['master'], 'master'],
    [['master', 'worker'], 'master'],
    [['worker'], 'worker'],
    [['worker', 'infra'], 'infra'],
    [['infra'], 'infra'],
    [['master', 'infra'], 'master'],
  ])('with roles %j is %s', (list, expected) => {
    const node = { metadata: { name: 'n', labels: roles(...list) } }
    expect(poolOf(node, selections)).toBe(expected)
  })

  it('is none for a node without labels', () => {
    expect(poolOf({ metadata: { name: 'n' } }, selections)).toBeUndefined()
  })

  it('is none, and the node is contested, when two custom pools select it', () => {
    expect(assignPool(roles('infra2', 'worker', 'infra'), selections)).toEqual({
      contested: ['infra', 'infra2'],
    })
  })

  it('names the custom pool that the control plane overruled', () => {
    expect(assignPool(roles('master', 'infra'), selections)).toEqual({
      pool: 'master',
      overruled: 'infra',
    })
  })

  it('is none for Windows', () => {
    const labels = { ...roles('master', 'worker'), 'kubernetes.io/os': 'windows' }
    expect(assignPool(labels, selections)).toEqual({})
  })
})

describe('the nodeSelector of a pool', () => {
  const bad = pool({ name: 'bad' })
  bad.spec.nodeSelector = { matchExpressions: [{ key: 'a', operator: 'Near' }] }

  it('is a problem if it is invalid, and does not affect other pools', () => {
    const selection = selectionOf(bad)
    expect(selection.problem).toBe(
      'its nodeSelector is invalid: label selector: a: Near is not one of In, NotIn, Exists, DoesNotExist',
    )
    expect(assignPool(roles('worker'), [selection, ...selections]).pool).toBe('worker')
  })

  it('selects no node if it is empty', () => {
    const all = pool({ name: 'all' })
    all.spec.nodeSelector = {}
    expect(selectionOf(all).problem).toBe(
      'its nodeSelector is empty and would select every node: name a label',
    )
    expect(assignPool({ a: 'b' }, [selectionOf(all)])).toEqual({})
  })

  it('may be missing: it selects no node, which is not a problem', () => {
    const none = pool({ name: 'none' })
    delete none.spec.nodeSelector
    expect(selectionOf(none).problem).toBeUndefined()
    expect(assignPool({ a: 'b' }, [selectionOf(none)])).toEqual({})
  })
})

it('a node with any labels is in one pool, contested, or in none', () => {
  fc.assert(
    fc.property(fc.subarray([...names]), (list) => {
      const { pool: primary, contested } = assignPool(roles(...list), selections)
      const custom = list.filter((name) => name.startsWith('infra'))
      expect(contested !== undefined).toBe(custom.length > 1)
      const isInNone = primary === undefined && contested === undefined
      expect(isInNone).toBe(list.length === 0)
      expect(primary === undefined || list.some((name) => name === primary)).toBe(true)
    }),
  )
})
