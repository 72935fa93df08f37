import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Condition } from '@machinist/core/objects/resource'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { RequiredPoolsFacts } from './required-pools.ts'
import { configurationProblem } from './configuration-problem.ts'
import { requiredPools } from './required-pools.ts'

const domain = 'machineconfiguration.openshift.io'
const generatedBy = `${domain}/generated-by-controller-version`
const releaseVersion = `${domain}/release-image-version`
const required = { [`operator.${domain}/required-for-upgrade`]: '' }
const release = { version: '4.16.0', build: 'build-1', osImageURL: 'os@sha256:1' }
const since = '2026-01-01T00:00:00Z'
const sinceMs = Date.parse(since)
const minute = 60_000

const machineConfig = (
  name: string,
  annotations: Record<string, string> = {},
  osImageURL?: string,
): MachineConfig => ({
  metadata: { name, annotations },
  spec: { ...(osImageURL !== undefined && { osImageURL }) },
})
const rendered = machineConfig(
  'rendered-master-1',
  { [generatedBy]: 'build-1', [releaseVersion]: '4.16.0' },
  'os@sha256:1',
)
const sources = [machineConfig('00-master', { [generatedBy]: 'build-1' }), machineConfig('99-mine')]
const known =
  (...all: readonly MachineConfig[]): RequiredPoolsFacts['machineConfig'] =>
  (name) =>
    all.find(({ metadata }) => metadata.name === name)

const condition = (type: string, status: Condition['status'], message = ''): Condition => ({
  type,
  status,
  message,
  lastTransitionTime: since,
})
interface PoolOptions {
  readonly name?: string
  readonly labels?: Record<string, string>
  readonly conditions?: Condition[]
  readonly spec?: Partial<MachineConfigPool['spec']>
  readonly status?: MachineConfigPool['status']
  readonly generation?: number
}
const updated = [condition('Updated', 'True'), condition('Updating', 'False')]
const updating = [condition('Updated', 'False'), condition('Updating', 'True')]

const pool = (options: PoolOptions = {}): MachineConfigPool => ({
  metadata: {
    name: options.name ?? 'master',
    labels: options.labels ?? required,
    generation: options.generation ?? 4,
  },
  spec: { configuration: { name: 'rendered-master-1' }, ...options.spec },
  status: {
    observedGeneration: 4,
    machineCount: 3,
    updatedMachineCount: 1,
    readyMachineCount: 1,
    unavailableMachineCount: 1,
    configuration: {
      name: 'rendered-master-1',
      source: [{ name: '00-master' }, { name: '99-mine' }],
    },
    conditions: options.conditions ?? updated,
    ...options.status,
  },
})

const facts = (
  pools: readonly MachineConfigPool[],
  more: Partial<RequiredPoolsFacts> = {},
): RequiredPoolsFacts => ({
  pools,
  machineConfig: known(rendered, ...sources),
  release,
  nowMs: sinceMs + minute,
  ...more,
})

describe("a pool's configuration", () => {
  const problem = (
    changed: MachineConfigPool = pool(),
    ...all: readonly MachineConfig[]
  ): string | undefined =>
    configurationProblem(changed, {
      release,
      machineConfig: known(...(all.length > 0 ? all : [rendered, ...sources])),
    })

  it('is valid', () => {
    expect(problem()).toBeUndefined()
  })

  it.each<[string, MachineConfigPool]>([
    ['no configuration is rendered yet', pool({ spec: { configuration: {} } })],
    [
      'no configuration is on all of its nodes yet',
      pool({ status: { configuration: { name: '', source: [{ name: '00-master' }] } } }),
    ],
    [
      'the sources of rendered-master-1 are unknown',
      pool({ status: { configuration: { name: 'rendered-master-1', source: [] } } }),
    ],
    [
      'MachineConfig rendered-master-9 does not exist',
      pool({
        status: { configuration: { name: 'rendered-master-9', source: [{ name: '00-master' }] } },
      }),
    ],
    [
      'MachineConfig 50-gone, a source of rendered-master-1, does not exist',
      pool({
        status: { configuration: { name: 'rendered-master-1', source: [{ name: '50-gone' }] } },
      }),
    ],
  ])('is not: %s', (expected, changed) => {
    expect(problem(changed)).toBe(expected)
  })

  const like = (annotations: Record<string, string>, osImageURL = 'os@sha256:1'): MachineConfig =>
    machineConfig('rendered-master-1', annotations, osImageURL)
  const good = { [generatedBy]: 'build-1', [releaseVersion]: '4.16.0' }

  it.each<[string, MachineConfig, readonly MachineConfig[]]>([
    [
      'MachineConfig rendered-master-1 has no controller build, expected build-1',
      like({ [releaseVersion]: '4.16.0' }),
      sources,
    ],
    [
      'MachineConfig rendered-master-1 is of controller build build-0, expected build-1',
      like({ ...good, [generatedBy]: 'build-0' }),
      sources,
    ],
    [
      'MachineConfig 00-master is of controller build build-0, expected build-1',
      rendered,
      [machineConfig('00-master', { [generatedBy]: 'build-0' }), sources[1]!],
    ],
    [
      'MachineConfig rendered-master-1 has OS image os@sha256:0, expected os@sha256:1',
      like(good, 'os@sha256:0'),
      sources,
    ],
    [
      'MachineConfig rendered-master-1 is of no release, expected 4.16.0',
      like({ [generatedBy]: 'build-1' }),
      sources,
    ],
    [
      'MachineConfig rendered-master-1 is of release 4.15.9, expected 4.16.0',
      like({ ...good, [releaseVersion]: '4.15.9' }),
      sources,
    ],
  ])('is not: %s', (expected, changed, others) => {
    expect(problem(pool(), changed, ...others)).toBe(expected)
  })

  it('may have an OS image of its own', () => {
    const own = like({ ...good, [`${domain}/os-image-url-overridden`]: 'true' }, 'mine')
    expect(problem(pool(), own, ...sources)).toBeUndefined()
  })
})

describe('pools that an upgrade waits for', () => {
  it('are ready', () => {
    expect(requiredPools(facts([pool()]))).toEqual({ state: 'ready' })
    expect(requiredPools(facts([]))).toEqual({ state: 'ready' })
  })

  it('do not include others, in any state', () => {
    const worker = pool({
      name: 'worker',
      labels: {},
      conditions: updating,
      spec: { paused: true },
    })
    expect(requiredPools(facts([pool(), worker]))).toEqual({ state: 'ready' })
  })

  it('are waiting during an update, ten minutes for each machine', () => {
    const text =
      'required MachineConfigPool master is not ready: 1 (ready 1) out of 3 nodes are updating to latest configuration rendered-master-1'
    const slow = pool({ conditions: updating })
    expect(requiredPools(facts([slow]))).toEqual({
      state: 'waiting',
      message: text,
      untilMs: sinceMs + 30 * minute,
    })
    const later = { nowMs: sinceMs + 30 * minute }
    expect(requiredPools(facts([slow], later))).toEqual({
      state: 'failed',
      message: `during syncRequiredMachineConfigPools: ${text}`,
    })
  })

  it('have a timeout even before their machines are counted', () => {
    const fresh = pool({ conditions: updating, status: { machineCount: 0 } })
    expect(requiredPools(facts([fresh]))).toMatchObject({
      state: 'waiting',
      untilMs: sinceMs + 10 * minute,
    })
  })

  it('must have observed the latest generation, and be of this release', () => {
    const message =
      'required MachineConfigPool master is not ready: all 3 nodes are at latest configuration rendered-master-1'
    const ahead = pool({ generation: 5 })
    expect(requiredPools(facts([ahead]))).toEqual({ state: 'waiting', message })
    const upgradingSince = '2025-12-31T23:45:00Z'
    expect(requiredPools(facts([ahead], { upgradingSince }))).toEqual({
      state: 'waiting',
      message,
      untilMs: sinceMs + 15 * minute,
    })
    const other = { release: { ...release, version: '4.17.0' } }
    expect(requiredPools(facts([pool()], other))).toEqual({
      state: 'waiting',
      message:
        'required MachineConfigPool master is not ready: MachineConfig rendered-master-1 is of release 4.16.0, expected 4.17.0',
    })
  })

  it('fail while they are paused', () => {
    const paused = (more: PoolOptions): MachineConfigPool =>
      pool({ ...more, spec: { paused: true, configuration: { name: 'rendered-master-1' } } })
    const text = 'required MachineConfigPool master is paused; unpause it to continue the upgrade;'
    expect(requiredPools(facts([paused({})]))).toEqual({ state: 'ready' })
    expect(requiredPools(facts([paused({ conditions: updating })]))).toEqual({
      state: 'failed',
      message: `${text} changes are pending`,
    })
    expect(requiredPools(facts([paused({ generation: 5 })]))).toEqual({
      state: 'failed',
      message: `${text} no changes are pending yet`,
    })
  })

  const degraded = [condition('Degraded', 'True', 'disk full'), ...updating]

  it('fail when they are degraded', () => {
    expect(requiredPools(facts([pool({ conditions: degraded })]))).toEqual({
      state: 'failed',
      message:
        'MachineConfigPool master is not ready, retrying. Status: (pool degraded: true total: 3, ready 1, updated: 1, unavailable: 1, reason: disk full)',
    })
  })

  it('wait for any degraded pool, which may recover within the timeout', () => {
    const infra = pool({ name: 'infra', labels: {}, conditions: degraded })
    const message =
      'MachineConfigPool infra is not ready, retrying. Status: (pool degraded: true total: 3, ready 1, updated: 1, unavailable: 1, reason: disk full)'
    expect(requiredPools(facts([pool(), infra]))).toEqual({
      state: 'waiting',
      message,
      untilMs: sinceMs + 30 * minute,
    })
    const later = { nowMs: sinceMs + 31 * minute }
    expect(requiredPools(facts([pool(), infra], later))).toEqual({
      state: 'failed',
      message: `during syncRequiredMachineConfigPools: ${message}`,
    })
  })

  it('are reported by the first failed pool, or else by the first waiting one', () => {
    const a = pool({ name: 'a', conditions: updating })
    const b = pool({ name: 'b', conditions: degraded })
    const c = pool({ name: 'c', conditions: degraded })
    expect(requiredPools(facts([c, b, a]))).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('MachineConfigPool b is not ready'),
    })
    expect(requiredPools(facts([a, pool()]))).toMatchObject({
      state: 'waiting',
      message: expect.stringContaining('required MachineConfigPool a is not ready'),
    })
  })

  it('are evaluated the same in any order, and waiting has a deadline if its start is known', () => {
    const anyPool = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      labels: fc.constantFrom(required, {}),
      conditions: fc.constantFrom(updated, updating, degraded),
      generation: fc.constantFrom(4, 5),
      spec: fc.record({ paused: fc.boolean(), configuration: fc.constant({ name: 'x' }) }),
    })
    const pools = fc.uniqueArray(anyPool, { selector: ({ name }) => name, maxLength: 4 })
    fc.assert(
      fc.property(pools, fc.nat(60), (chosen, minutes) => {
        const all = chosen.map(pool)
        const nowMs = sinceMs + minutes * minute
        const readiness = requiredPools(facts(all, { nowMs }))
        expect(requiredPools(facts(all.toReversed(), { nowMs }))).toEqual(readiness)
        const years = { nowMs: sinceMs + 1e11, upgradingSince: since }
        expect(requiredPools(facts(all, years)).state).not.toBe('waiting')
      }),
    )
  })
})
