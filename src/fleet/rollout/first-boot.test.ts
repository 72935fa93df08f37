import { describe, expect, it } from 'vitest'
import { at, facts, pool } from './scene.fixture.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { decide, explainNode } from '../../controllers/rollout/decide.ts'
import { labelsFor, newcomerFrom } from './first-boot.ts'

describe('the labels that a selector asks for', () => {
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

  it.each(['master', 'worker', 'gone'])('into %s is what its labels say', (name) => {
    expect(newcomerFrom(rendered(name), () => (name === 'gone' ? undefined : infra))).toBe(
      undefined,
    )
  })

  it('into something that nobody knows any more is what its labels say', () => {
    expect(newcomerFrom(undefined, poolOf)).toBeUndefined()
    expect(newcomerFrom({ metadata: { name: 'by-hand' } }, poolOf)).toBeUndefined()
  })

  it('is labelled instead of being sent elsewhere, and nobody waits for it', () => {
    const newcomer = { pool: 'infra', labels: { 'node-role.kubernetes.io/infra': '' } }
    const newcomers = new Map([['node-0', newcomer]])
    const plan = decide(facts({}, [at('I0'), at('V0')], { newcomers }))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-1'])
    expect(plan.writes.find(({ node }) => node === 'node-0')).toEqual({
      node: 'node-0',
      version: '1',
      annotations: { 'machineconfiguration.openshift.io/customPoolLabelsApplied': '' },
      labels: { 'node-role.kubernetes.io/infra': '' },
      tells: false,
    })
    expect(explainNode(plan, 'node-0').at(-1)).toEqual({
      policy: 'it is in the pool that it booted into',
      passed: false,
      because: 'it booted into pool infra, and gets the labels of that first',
    })
  })

  it('is left alone while the pool that it is in by its labels is paused', () => {
    const newcomers = new Map([['node-0', { pool: 'infra', labels: { a: 'b' } }]])
    expect(decide(facts({ paused: true }, [at('I0')], { newcomers })).writes).toEqual([])
  })
})
