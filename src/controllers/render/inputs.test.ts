import { describe, expect, it } from 'vitest'
import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Change } from '@machinist/kube/informer/change'
import { stillCache } from '../still-cache.fixture.ts'
import type { MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import { renderInputsOf } from './inputs.ts'

const role = 'machineconfiguration.openshift.io/role'
const pool = (name: string): MachineConfigPool => ({
  metadata: { name },
  spec: { machineConfigSelector: { matchLabels: { [role]: name } } },
})
const of = (label: string): MachineConfig => ({
  metadata: { name: '50-x', labels: { [role]: label } },
})

/** The pools that a change enqueues, and those with an open batch window. */
function heard<T extends KubeObject>(kind: string, change: Change<T>): [string[], string[]] {
  const pools = [pool('worker'), pool('infra')]
  const window = new BatchWindow(new VirtualClock(), 5000)
  const keys: string[] = []
  const following = {
    ...stillCache(),
    subscribe: (hear: (change: Change<T>) => void) => {
      hear(change)
      return () => undefined
    },
  }
  const caches = {
    pools: { ...following, list: () => pools },
    machineConfigs: following,
    controllerConfigs: following,
    kubeletConfigs: following,
    containerRuntimeConfigs: following,
    machineConfigurations: following,
    nodes: following,
    machineConfigNodes: following,
  }
  const inputs = renderInputsOf(caches as unknown as RenderCaches, { window, forget: () => {} })
  inputs.find(({ resource }) => resource === kind)!.subscribe((key) => keys.push(key))
  const names = pools.map(({ metadata }) => metadata.name)
  return [keys, names.filter((name) => window.remaining(name) > 0)]
}

describe('a change', () => {
  const worker = pool('worker')
  const changed = (status: MachineConfigPool['status']): Change<MachineConfigPool> => ({
    type: 'updated',
    before: worker,
    object: { ...worker, ...(status && { status }) },
  })

  it('of a pool enqueues it, unless only the progress of its nodes changes', () => {
    expect(heard('MachineConfigPool', changed({ configuration: { name: 'x' } }))[0]).toEqual([
      'worker',
    ])
    expect(heard('MachineConfigPool', changed({ updatedMachineCount: 3 }))[0]).toEqual([])
    const conditions = (type: string) => [{ type, status: 'True' as const }]
    const tells = (type: string): string[] =>
      heard('MachineConfigPool', changed({ conditions: conditions(type) }))[0]
    expect([tells('Updating'), tells('RenderDegraded')]).toEqual([[], ['worker']])
  })

  it('of an input enqueues pools that select it, or did, after the batch window', () => {
    const before = of('worker')
    const object = of('infra')
    expect(heard('MachineConfig', { type: 'updated', before, object })).toEqual([
      ['worker', 'infra'],
      ['worker', 'infra'],
    ])
    expect(heard('MachineConfig', { type: 'added', initial: false, object })).toEqual([
      ['infra'],
      ['infra'],
    ])
    expect(heard('MachineConfig', { type: 'added', initial: true, object })).toEqual([
      ['infra'],
      [],
    ])
  })

  it('of a rendered config enqueues its pool at once', () => {
    const owner = { apiVersion: 'x/v1', kind: 'MachineConfigPool', name: 'infra', uid: 'u' }
    const object = { metadata: { name: 'r', ownerReferences: [{ ...owner, controller: true }] } }
    expect(heard('MachineConfig', { type: 'deleted', object, missed: false })).toEqual([
      ['infra'],
      [],
    ])
  })

  it('of the ControllerConfig enqueues all pools, unless only conditions about nodes change', () => {
    const config = (...conditions: Condition[]): KubeObject & { readonly status: object } => ({
      metadata: { name: 'machine-config-controller' },
      status: { conditions },
    })
    const enqueued = (type: string): string[] => {
      const object = config({ type, status: 'True' })
      return heard('ControllerConfig', { type: 'updated', before: config(), object })[0]
    }
    expect(enqueued('machinist.dev/TrustDelivered')).toEqual([])
    expect(enqueued('TemplateControllerCompleted')).toEqual(['worker', 'infra'])
    expect(enqueued('machinist.dev/TemplatesFailing.worker')).toEqual(['worker', 'infra'])
  })
})
