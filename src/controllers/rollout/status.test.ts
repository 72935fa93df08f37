import { describe, expect, it } from 'vitest'
import type { PoolSketch } from '../../fleet/pools/pool.fixture.ts'
import type { NodeSketch } from '../../fleet/rollout/scene.fixture.ts'
import { at, facts } from '../../fleet/rollout/scene.fixture.ts'
import { conditionOf } from '../../api/conditions.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import { decide } from './decide.ts'
import { statusOf } from './status.ts'

const statusFor = (pool: PoolSketch, nodes: readonly NodeSketch[], more?: Partial<RolloutFacts>) =>
  statusOf(decide(facts(pool, nodes, more)))

const condition = (status: ReturnType<typeof statusFor>, type: string) =>
  conditionOf(status.conditions, type)

const F = { ready: false }

describe('three nodes with target V1', () => {
  it.each<[string, NodeSketch[], boolean, string, string]>([
    ['none targeted', [at('V0'), at('V0'), at('V0')], false, '3/0/0/0/0', 'F/T/F'],
    ['one targeted', [at('V0', 'V1'), at('V0'), at('V0')], false, '3/0/0/1/0', 'F/T/F'],
    ['paused', [at('V0', 'V1'), at('V0'), at('V0')], true, '3/0/0/1/0', 'F/F/F'],
    ['one not ready', [at('V0', 'V1', F), at('V0'), at('V0')], false, '3/0/0/1/0', 'F/T/F'],
    [
      'one failed',
      [at('V0', 'V1', { ...F, state: 'Degraded' }), at('V0'), at('V0')],
      false,
      '3/0/0/1/1',
      'F/T/T',
    ],
    [
      'one updated, not ready',
      [at('V1', 'V1', F), at('V0'), at('V0')],
      false,
      '3/1/0/1/0',
      'F/T/F',
    ],
    ['two targeted', [at('V1'), at('V0', 'V1'), at('V0', 'V1')], false, '3/1/1/2/0', 'F/T/F'],
    ['all updated', [at('V1'), at('V1'), at('V1')], false, '3/3/3/0/0', 'T/F/F'],
  ])('%s', (_, nodes, paused, counts, conditions) => {
    const status = statusFor({ paused }, nodes)
    const { machineCount, updatedMachineCount, readyMachineCount } = status
    const { unavailableMachineCount, degradedMachineCount } = status
    const values = [
      machineCount,
      updatedMachineCount,
      readyMachineCount,
      unavailableMachineCount,
      degradedMachineCount,
    ]
    expect(values.join('/')).toBe(counts)
    const letters = ['Updated', 'Updating', 'Degraded'].map(
      (type) => condition(status, type)?.status[0],
    )
    expect(letters.join('/')).toBe(conditions)
    expect(status.observedGeneration).toBe(7)
  })
})

describe('the status', () => {
  it('leaves Updated to the render controller while a change is not rendered', () => {
    const pending = {
      type: 'Updated',
      status: 'False' as const,
      reason: 'RenderPending',
      message: 'Waiting for rendering: MachineConfig 60-audit changed',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const before = (reason: string) => ({ status: { conditions: [{ ...pending, reason }] } })
    expect(condition(statusFor(before('RenderPending'), [at('V1')]), 'Updated')).toEqual(pending)
    expect(condition(statusFor(before('Rendered'), [at('V1')]), 'Updated')).toMatchObject({
      status: 'True',
      reason: '',
    })
    expect(condition(statusFor(before('Rendered'), [at('V0')]), 'Updated')).toMatchObject({
      status: 'False',
      reason: '',
    })
  })

  it('names the config of all updated nodes and keeps it in status.configuration', () => {
    const status = statusFor({}, [at('V1')])
    expect(condition(status, 'Updated')?.message).toBe(
      'All nodes are updated with MachineConfig V1',
    )
    expect(status.configuration).toEqual({ name: 'V1' })
    const before = { configuration: { name: 'V0' } }
    expect(statusFor({ status: before }, [at('V0')]).configuration).toEqual({ name: 'V0' })
  })

  it('of a pool without nodes is Updated', () => {
    expect(condition(statusFor({}, []), 'Updated')?.status).toBe('True')
  })

  it('keeps conditions of other controllers and includes them in Degraded', () => {
    const rendered = {
      type: 'RenderDegraded',
      status: 'True',
      reason: 'BadConfig',
      message: 'MachineConfig 99-x does not parse',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    } as const
    const status = statusFor({ status: { conditions: [rendered] } }, [at('V1')])
    expect(status.conditions?.[0]).toEqual(rendered)
    expect(condition(status, 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'RenderDegraded',
      message: 'RenderDegraded: MachineConfig 99-x does not parse',
    })
  })

  it('names degraded nodes', () => {
    const broken = at('V0', 'V1', { state: 'Degraded', reason: 'disk is full' })
    const status = statusFor({}, [broken, at('V0')])
    expect(condition(status, 'NodeDegraded')).toMatchObject({
      status: 'True',
      reason: '1 nodes are reporting degraded status on sync',
      message: 'Node node-0 is reporting: "disk is full"',
    })
  })

  it('does not change with time alone', () => {
    const first = statusFor({}, [at('V0'), at('V1')])
    const later = statusFor({ status: first }, [at('V0'), at('V1')], { now: Date.now() })
    expect(later).toEqual(first)
  })

  it('lists when the CAs of kubelets expire', () => {
    const certificates = [
      {
        bundleFile: 'KubeAPIServerServingCAData',
        subject: 'CN=a',
        signer: 'CN=s',
        notAfter: '2027-01-01T00:00:00Z',
      },
      { bundleFile: 'RootCAData', subject: 'CN=root', signer: 'CN=root' },
    ]
    expect(statusFor({}, [], { certificates }).certExpirys).toEqual([
      { bundle: 'KubeAPIServerServingCAData', subject: 'CN=a', expiry: '2027-01-01T00:00:00Z' },
    ])
  })

  it('of a pool with contested nodes is Degraded, and the rollout of its other nodes proceeds', () => {
    const contested = [{ node: 'n', pools: ['infra', 'infra2'] }]
    const plan = decide(facts({ name: 'infra' }, [at('V0')], { contested }))
    expect(plan.chosen).toHaveLength(1)
    const status = statusOf(plan)
    expect(condition(status, 'SelectionDegraded')).toMatchObject({
      status: 'True',
      reason: 'NodeInSeveralPools',
      message:
        'More than one custom pool selects node n (infra, infra2): no pool configures it until its labels match only one',
    })
    expect(condition(status, 'Degraded')?.status).toBe('True')
    const repaired = statusFor({ name: 'infra', status }, [at('V0')])
    expect(condition(repaired, 'SelectionDegraded')?.status).toBe('False')
    expect(condition(repaired, 'Degraded')?.status).toBe('False')
  })

  it('of a pool with an invalid nodeSelector is not Updated, although it has no nodes', () => {
    const status = statusFor({}, [], { selectorProblem: 'its nodeSelector is empty' })
    expect(condition(status, 'Updated')?.status).toBe('False')
    expect(condition(status, 'Degraded')?.message).toBe(
      'SelectionDegraded: its nodeSelector is empty',
    )
  })
})

describe('a pool with an invalid maxUnavailable', () => {
  it('is Degraded before any rollout, until it is corrected', () => {
    const bad = statusFor({ maxUnavailable: '150%' }, [at('V1'), at('V1')])
    expect(condition(bad, 'BudgetDegraded')).toMatchObject({
      status: 'True',
      reason: 'InvalidMaxUnavailable',
      message:
        'spec.maxUnavailable is "150%": no node is updated until it is a number of at least 0, or a percentage from "0%" to "100%"',
    })
    expect(condition(bad, 'Degraded')).toMatchObject({ status: 'True', reason: 'BudgetDegraded' })
    const good = statusFor({ maxUnavailable: '50%', status: bad }, [at('V1'), at('V1')])
    expect(condition(good, 'BudgetDegraded')).toMatchObject({ status: 'False' })
    expect(condition(good, 'Degraded')).toMatchObject({ status: 'False' })
  })

  it('has no BudgetDegraded condition if there never was a problem', () => {
    expect(condition(statusFor({}, [at('V1')]), 'BudgetDegraded')).toBeUndefined()
  })
})
