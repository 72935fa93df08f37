import { describe, expect, it } from 'vitest'
import { pool } from '../pools/pool.fixture.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { labelsFor, newcomerFrom } from './first-boot.ts'

describe('the labels that a selector requires', () => {
  it.each([
    [{ matchLabels: { a: 'b' } }, { a: 'b' }],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }, { a: 'b' }],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, { a: '' }],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] }, {}],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] }, {}],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, {}],
    [
      {
        matchLabels: { a: 'b' },
        matchExpressions: [{ key: 'a', operator: 'In', values: ['c'] }],
      },
      { a: 'b' },
    ],
    [null, {}],
    [undefined, {}],
  ])('of %j are %j', (selector, labels) => {
    expect(labelsFor(selector)).toEqual(labels)
  })
})

describe('a node that booted', () => {
  const rendered = (name: string): MachineConfig => ({
    metadata: {
      name: `rendered-${name}-1`,
      ownerReferences: [
        { apiVersion: 'x/v1', kind: 'MachineConfigPool', name, uid: 'u', controller: true },
      ],
    },
  })
  const infra = pool({ name: 'infra' })
  const poolOf = (name: string) => (name === 'infra' ? infra : undefined)

  it('into a custom pool gets its labels', () => {
    expect(newcomerFrom(rendered('infra'), poolOf)).toEqual({
      pool: 'infra',
      labels: { 'node-role.kubernetes.io/infra': '' },
    })
  })

  it.each(['master', 'worker', 'gone'])('into %s belongs to the pool of its labels', (name) => {
    expect(newcomerFrom(rendered(name), () => (name === 'gone' ? undefined : infra))).toBe(
      undefined,
    )
  })

  it('into an unknown config belongs to the pool of its labels', () => {
    expect(newcomerFrom(undefined, poolOf)).toBeUndefined()
    expect(newcomerFrom({ metadata: { name: 'by-hand' } }, poolOf)).toBeUndefined()
  })
})
