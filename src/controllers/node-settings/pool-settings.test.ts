import { describe, expect, it } from 'vitest'
import type { MachineConfigPoolSpec } from '../../api/kinds/machine-config-pool.ts'
import type { KubeletConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { inheritsFromWorkers, poolSettings, selectionOf } from './pool-settings.ts'

const role = 'machineconfiguration.openshift.io/role'
const master = 'node-role.kubernetes.io/master'

const pool = (
  name: string,
  spec: MachineConfigPoolSpec = {},
  labels: Record<string, string> = {},
): MachineConfigPool => ({ metadata: { name, labels }, spec })

const selecting = (...roles: string[]): MachineConfigPoolSpec => ({
  machineConfigSelector: { matchExpressions: [{ key: role, operator: 'In', values: roles }] },
})

describe('a control plane pool', () => {
  it.each([
    ['master', pool('master')],
    ['arbiter', pool('arbiter')],
    ['by matchLabels', pool('cp', { nodeSelector: { matchLabels: { [master]: '' } } })],
    [
      'by Exists',
      pool('cp', { nodeSelector: { matchExpressions: [{ key: master, operator: 'Exists' }] } }),
    ],
    [
      'by In',
      pool('cp', {
        nodeSelector: { matchExpressions: [{ key: master, operator: 'In', values: [''] }] },
      }),
    ],
  ])('is detected: %s', (_, one) => {
    expect(poolSettings(one).isControlPlane).toBe(true)
  })

  it.each([
    ['worker', pool('worker')],
    ['a custom one', pool('infra', { nodeSelector: { matchLabels: { infra: '' } } })],
    [
      'by DoesNotExist',
      pool('no', {
        nodeSelector: { matchExpressions: [{ key: master, operator: 'DoesNotExist' }] },
      }),
    ],
    ['without a selector', pool('none')],
  ])('is not detected: %s', (_, one) => {
    expect(poolSettings(one).isControlPlane).toBe(false)
  })
})

describe('the role of a pool', () => {
  it.each([
    ['master', pool('master', selecting('master')), 'master'],
    ['arbiter', pool('arbiter', selecting('arbiter')), 'arbiter'],
    ['infra', pool('infra', selecting('worker', 'infra')), 'worker'],
    ['second-master', pool('second-master', selecting('master', 'second-master')), 'master'],
    ['odd', pool('odd', selecting('odd')), 'worker'],
    ['empty', pool('empty'), 'worker'],
  ])('%s', (_, one, expected) => {
    expect(poolSettings(one).role).toBe(expected)
  })

  it('determines whether it inherits from workers', () => {
    const inherits = (one: MachineConfigPool): boolean => inheritsFromWorkers(poolSettings(one))
    expect(inherits(pool('infra', selecting('worker', 'infra')))).toBe(true)
    expect(inherits(pool('worker', selecting('worker')))).toBe(false)
    expect(inherits(pool('master', selecting('master')))).toBe(false)
    expect(inherits(pool('odd', selecting('odd')))).toBe(false)
  })
})

describe('the pools that an object selects', () => {
  const pools = [
    pool('worker', {}, { kind: 'a' }),
    pool('infra', {}, { kind: 'a' }),
    pool('master', {}, { kind: 'b' }),
  ].map(poolSettings)
  const selected = (machineConfigPoolSelector?: object): unknown => {
    const spec = machineConfigPoolSelector === undefined ? {} : { machineConfigPoolSelector }
    const object: KubeletConfig = { metadata: { name: 'x' }, spec }
    const selection = selectionOf(object, pools)
    return 'pools' in selection ? selection.pools.map(({ name }) => name) : selection.problem
  }

  it('have the labels, and are sorted by name', () => {
    expect(selected({ matchLabels: { kind: 'a' } })).toEqual(['infra', 'worker'])
    expect(selected({ matchExpressions: [{ key: 'kind', operator: 'Exists' }] })).toEqual([
      'infra',
      'master',
      'worker',
    ])
  })

  it('are none without a selector or with an empty one', () => {
    expect(selected()).toEqual([])
    expect(selected({})).toEqual([])
    expect(selected({ matchLabels: {} })).toEqual([])
  })

  it('are unknown if the selector is invalid', () => {
    expect(selected({ matchExpressions: [{ key: 'kind', operator: 'Near' }] })).toContain(
      'kind: Near is not one of In, NotIn, Exists, DoesNotExist',
    )
  })
})
