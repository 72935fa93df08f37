import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pool } from '../rollout/scene.fixture.ts'
import { belongingOf, poolOf, selectionOf } from './pool-of-node.ts'

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

  it('is none, with a complaint, when two custom pools want it', () => {
    expect(belongingOf(roles('infra2', 'worker', 'infra'), selections)).toEqual({
      contested: ['infra', 'infra2'],
    })
  })

  it('says which custom pool the control plane overruled', () => {
    expect(belongingOf(roles('master', 'infra'), selections)).toEqual({
      pool: 'master',
      overruled: 'infra',
    })
  })

  it('is none for Windows', () => {
    const labels = { ...roles('master', 'worker'), 'kubernetes.io/os': 'windows' }
    expect(belongingOf(labels, selections)).toEqual({})
  })
})

describe('a pool whose selector is unusable', () => {
  const bad = pool({ name: 'bad' })
  bad.spec.nodeSelector = { matchExpressions: [{ key: 'a', operator: 'Near' }] }

  it('says so, and hides no other pool', () => {
    const selection = selectionOf(bad)
    expect(selection.problem).toBe(
      'its nodeSelector cannot be used: label selector: a: Near is not one of In, NotIn, Exists, DoesNotExist',
    )
    expect(belongingOf(roles('worker'), [selection, ...selections]).pool).toBe('worker')
  })

  it('because it would select everything selects nothing', () => {
    const all = pool({ name: 'all' })
    all.spec.nodeSelector = {}
    expect(selectionOf(all).problem).toBe(
      'its nodeSelector is empty and would select every node: name a label',
    )
    expect(belongingOf({ a: 'b' }, [selectionOf(all)])).toEqual({})
  })

  it('because there is none has no nodes, and that is nothing to complain about', () => {
    const none = pool({ name: 'none' })
    delete none.spec.nodeSelector
    expect(selectionOf(none).problem).toBeUndefined()
    expect(belongingOf({ a: 'b' }, [selectionOf(none)])).toEqual({})
  })
})

it('whatever its labels, a node is in one pool, contested, or nowhere', () => {
  fc.assert(
    fc.property(fc.subarray([...names]), (list) => {
      const { pool: primary, contested } = belongingOf(roles(...list), selections)
      const custom = list.filter((name) => name.startsWith('infra'))
      expect(contested !== undefined).toBe(custom.length > 1)
      const isNowhere = primary === undefined && contested === undefined
      expect(isNowhere).toBe(list.length === 0)
      expect(primary === undefined || list.some((name) => name === primary)).toBe(true)
    }),
  )
})
