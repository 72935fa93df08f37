import { describe, expect, it } from 'vitest'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { tokenIn } from '../../fleet/provisioning/pointer.ts'
import { sampleToken } from '../../fleet/provisioning/token.fixture.ts'
import type { PoolsFacts } from './facts.ts'
import { decide } from './decide.ts'
import { builtInPool } from './default-pools.ts'

const worker: MachineConfigPool = {
  ...builtInPool('worker', undefined)!,
  metadata: { ...builtInPool('worker', undefined)!.metadata, uid: 'u-1' },
}
const controllerConfig = (more: object = {}): ControllerConfig =>
  ({
    metadata: { name: 'machine-config-controller' },
    spec: {
      rootCAData: Buffer.from('CA\n').toString('base64'),
      infra: { status: { apiServerInternalURI: 'https://api-int:6443' } },
      ...more,
    },
  }) as unknown as ControllerConfig

const facts = (more: Partial<PoolsFacts> = {}): PoolsFacts => ({
  name: 'worker',
  pool: worker,
  controllerConfig: controllerConfig(),
  hasMachineAPI: true,
  isUserDataKnown: true,
  userData: undefined,
  token: sampleToken('a'),
  ...more,
})

describe('pools', () => {
  it('a missing built-in pool is created, before anything else is known', () => {
    const missing = { pool: undefined, controllerConfig: undefined, hasMachineAPI: false }
    expect(decide(facts(missing))).toEqual({
      pool: { create: builtInPool('worker', undefined) },
    })
    expect(decide(facts({ ...missing, name: 'arbiter' })).pool).toBeUndefined()
    const infra = { status: { controlPlaneTopology: 'HighlyAvailableArbiter' } }
    const topology = { name: 'arbiter', controllerConfig: controllerConfig({ infra }) }
    expect(decide(facts({ ...missing, ...topology })).pool).toEqual({
      create: builtInPool('arbiter', 'HighlyAvailableArbiter'),
    })
  })

  it("a built-in pool keeps the user's spec, and its labels are restored", () => {
    const edited: MachineConfigPool = {
      metadata: { name: 'worker', labels: {} },
      spec: { paused: true, nodeSelector: { matchLabels: { mine: '' } } },
    }
    expect(decide(facts({ pool: edited })).pool).toEqual({
      labels: {
        'machineconfiguration.openshift.io/mco-built-in': '',
        'pools.operator.machineconfiguration.openshift.io/worker': '',
      },
    })
  })

  it('pools of users, and pools that are being deleted, are not changed', () => {
    const infra = { metadata: { name: 'infra' }, spec: {} }
    expect(decide(facts({ name: 'infra', pool: infra })).pool).toBeUndefined()
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    const going = { metadata: { name: 'worker', deletionTimestamp }, spec: {} }
    expect(decide(facts({ pool: going }))).toEqual({})
  })
})

describe('user data', () => {
  it('is created for every pool', () => {
    const { userData } = decide(
      facts({ name: 'infra', pool: { ...worker, metadata: { name: 'infra', uid: 'u-2' } } }),
    )
    const { create } = userData as { create: { metadata: object; data: Record<string, string> } }
    expect(create.metadata).toMatchObject({ name: 'infra-user-data-managed' })
    const pointer = Buffer.from(create.data['userData']!, 'base64').toString()
    expect(pointer).toContain('"source":"https://api-int:22623/config/infra"')
    expect(pointer).toContain('"source":"data:text/plain;charset=utf-8;base64,Q0EK"')
    expect(pointer).toContain('"version":"3.5.0"')
  })

  it('is unchanged if it is up to date, and follows the CA', () => {
    const made = decide(facts()).userData as { create: object }
    const userData = made.create as NonNullable<PoolsFacts['userData']>
    expect(decide(facts({ userData }))).toEqual({})
    const rotated = controllerConfig({ rootCAData: Buffer.from('NEW\n').toString('base64') })
    expect(decide(facts({ userData, controllerConfig: rotated })).userData).toMatchObject({
      patch: { metadata: {}, data: {} },
    })
  })

  it.each([
    [
      'the pool has no provisioning token: Secret machinist-provisioning/provisioning-token-worker does not exist, or is not readable',
      { token: undefined },
    ],
    [
      'the host of the internal API is unknown: status.apiServerInternalURI of Infrastructure cluster is not set',
      { controllerConfig: undefined },
    ],
    [
      'the host of the internal API is unknown: status.apiServerInternalURI of Infrastructure cluster is not set',
      { controllerConfig: controllerConfig({ infra: null }) },
    ],
    [
      'the CA of the machine config server is unknown: rootCAData of the ControllerConfig is not set',
      { controllerConfig: controllerConfig({ rootCAData: null }) },
    ],
  ])('is not changed while %s', (skipped, more) => {
    expect(decide(facts(more)).userData).toEqual({ skipped })
  })

  const made = (more: Partial<PoolsFacts> = {}) => {
    const { userData } = decide(facts(more))
    return (userData as { create: NonNullable<PoolsFacts['userData']> }).create
  }
  const pointerIn = (data: Readonly<Record<string, string | null>> | undefined): string =>
    Buffer.from(data?.['userData'] ?? '', 'base64').toString()

  it('carries the provisioning token of the pool, and follows it', () => {
    const userData = made()
    expect(tokenIn(pointerIn(userData.data))).toBe(sampleToken('a'))
    const { userData: change } = decide(facts({ userData, token: sampleToken('b') }))
    const { patch } = change as { patch: { data: Record<string, string> } }
    expect(tokenIn(pointerIn(patch.data))).toBe(sampleToken('b'))
  })

  it('keeps its token while the pool has none, and still follows the CA', () => {
    const userData = made()
    expect(decide(facts({ userData, token: undefined }))).toEqual({})
    const rotated = controllerConfig({ rootCAData: Buffer.from('NEW\n').toString('base64') })
    const { userData: change } = decide(
      facts({ userData, token: undefined, controllerConfig: rotated }),
    )
    const { patch } = change as { patch: { data: Record<string, string> } }
    expect(pointerIn(patch.data)).toContain('TkVXCg==')
    expect(tokenIn(pointerIn(patch.data))).toBe(sampleToken('a'))
  })

  it('of a cluster without the Machine API is beside the tokens', () => {
    const { metadata } = made({ hasMachineAPI: false })
    expect(metadata).toMatchObject({
      namespace: 'machinist-provisioning',
      name: 'worker-user-data-managed',
    })
  })

  it('beside the tokens is removed when the Machine API has it', () => {
    const own = made({ hasMachineAPI: false })
    const leftUserData = { ...own, metadata: { ...own.metadata, uid: 'u-9' } }
    expect(decide(facts({ leftUserData })).removal).toBeUndefined()
    expect(decide(facts({ leftUserData, userData: made() }))).toEqual({
      removal: {
        key: { namespace: 'machinist-provisioning', name: 'worker-user-data-managed' },
        uid: 'u-9',
      },
    })
    const others = { ...leftUserData, metadata: { ...leftUserData.metadata, labels: {} } }
    expect(decide(facts({ leftUserData: others, userData: made() }))).toEqual({})
  })
})
