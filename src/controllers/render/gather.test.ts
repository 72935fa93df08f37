import { describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { Store } from '@machinist/kube/informer/store'
import { stillCache } from '../still-cache.fixture.ts'
import type { KubeletConfig, MachineConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import { BatchWindow } from './batch-window.ts'
import type { RenderCaches } from './caches.ts'
import { machineConfigIndexes } from './caches.ts'
import type { NodeSettings, RenderFacts, RenderPhase } from './facts.ts'
import { gather, poolFacts, selectedBy } from './gather.ts'
import { InputCache } from './input-cache.ts'

const role = 'machineconfiguration.openshift.io/role'

function of(name: string, label: string, owner?: string): MachineConfig {
  const ownerReferences = owner && {
    ownerReferences: [{ apiVersion: 'x/v1', kind: owner, name: 'o', uid: 'u', controller: true }],
  }
  return { metadata: { name, labels: { [role]: label }, ...ownerReferences } }
}

const pool = (
  machineConfigSelector?: MachineConfigPool['spec']['machineConfigSelector'],
): MachineConfigPool => ({
  metadata: { name: 'p' },
  spec: { ...(machineConfigSelector && { machineConfigSelector }) },
})

const all = [
  of('00-master', 'master', 'ControllerConfig'),
  of('05-extra-master', 'master'),
  of('00-worker', 'worker', 'ControllerConfig'),
  of('rendered-master-1', 'master', 'MachineConfigPool'),
]

const selected = (selector?: MachineConfigPool['spec']['machineConfigSelector']): string[] =>
  selectedBy(pool(selector), all).machineConfigs.map(({ metadata }) => metadata.name)

describe('the MachineConfigs that a pool selects', () => {
  it('have the labels, and are never rendered configs', () => {
    expect(selected({ matchLabels: { [role]: 'master' } })).toEqual([
      '00-master',
      '05-extra-master',
    ])
    expect(selected({ matchLabels: { [role]: 'infra' } })).toEqual([])
  })

  it('are none without a selector or with an empty one', () => {
    expect(selected()).toEqual([])
    expect(selected({})).toEqual([])
  })

  it('are none, with a reason, if the selector is invalid', () => {
    const odd = pool({ matchExpressions: [{ key: 'a', operator: 'Near' }] })
    expect(selectedBy(odd, all)).toEqual({
      machineConfigs: [],
      problem: 'label selector: a: Near is not one of In, NotIn, Exists, DoesNotExist',
    })
  })
})

function indexed(machineConfigs: readonly MachineConfig[]): RenderCaches['machineConfigs'] {
  const store = new Store(machineConfigIndexes)
  for (const one of machineConfigs) store.put(one)
  return { ...stillCache(...machineConfigs), byIndex: (name, value) => store.byIndex(name, value) }
}

describe('settings that are being deleted', () => {
  const settings: KubeletConfig = {
    metadata: {
      name: 'k',
      uid: 'u',
      generation: 2,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['example.com/theirs'],
    },
    spec: { machineConfigPoolSelector: { matchLabels: { of: 'p' } } },
    status: { observedGeneration: 1, conditions: [] },
  }
  const nodeSettingsOf = (...machineConfigs: MachineConfig[]): readonly NodeSettings[] => {
    const caches = {
      machineConfigs: indexed(machineConfigs),
      controllerConfigs: stillCache(),
      machineConfigurations: stillCache(),
      kubeletConfigs: stillCache(settings),
      containerRuntimeConfigs: stillCache(),
    } as unknown as RenderCaches
    const maker = { version: '1', build: 'b' }
    const inputs = new InputCache(readInput)
    const labelled = { metadata: { name: 'p', labels: { of: 'p' } }, spec: {} }
    return poolFacts(labelled, { caches, inputs, maker, release: 'main' }).nodeSettings
  }
  const settingsOf = (...machineConfigs: MachineConfig[]): string[] =>
    nodeSettingsOf(...machineConfigs).map(({ object }) => object.metadata.name)

  it('are generated for a pool if a MachineConfig with its role contains them', () => {
    const made = (role: string, generation: string): boolean[] => {
      const one = of('99-generated', role, 'KubeletConfig')
      const annotations = { 'machinist.dev/settings-generation': generation }
      const marked = { ...one, metadata: { ...one.metadata, annotations } }
      return nodeSettingsOf(marked).map(({ isGenerated }) => isGenerated)
    }
    expect(made('p', '2')).toEqual([true])
    expect(made('p', '1')).toEqual([false])
    expect(made('q', '2')).toEqual([false])
  })

  it('count until their MachineConfigs are deleted, regardless of other finalizers', () => {
    expect(settingsOf(of('99-p-generated-kubelet', 'p', 'KubeletConfig'))).toEqual(['k'])
    expect(settingsOf()).toEqual([])
  })
})

describe('the passes of a reconcile', () => {
  const owner = { apiVersion: 'x/v1', kind: 'MachineConfigPool', name: 'p', uid: 'u' }
  const rendered: MachineConfig = {
    metadata: { name: 'rendered-p-1', ownerReferences: [{ ...owner, controller: true }] },
  }
  const passOn = (
    pools: readonly MachineConfigPool[],
    phase?: RenderPhase,
    windowMs = 0,
  ): Promise<RenderFacts | undefined> => {
    const caches = {
      pools: stillCache(...pools),
      machineConfigs: indexed([rendered]),
      controllerConfigs: stillCache(),
      machineConfigurations: stillCache(),
      kubeletConfigs: stillCache(),
      containerRuntimeConfigs: stillCache(),
      nodes: stillCache(),
      machineConfigNodes: stillCache(),
    } as unknown as RenderCaches
    const window = new BatchWindow(new VirtualClock(), windowMs)
    window.open('p')
    const sources = {
      caches,
      inputs: new InputCache(readInput),
      maker: { version: '1', build: 'b' },
      release: 'main' as const,
      window,
      lastInputs: new Map(),
      keep: 0,
    }
    return gather('p', sources, phase)
  }

  it('begin with the released configs of a deleted pool, once', async () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    const deleted = { ...pool(), metadata: { name: 'p', deletionTimestamp } }
    const released = { type: 'obsolete', phase: 'release', configs: [rendered] }
    expect(await passOn([])).toEqual(released)
    expect(await passOn([], 'render')).toBeUndefined()
    expect(await passOn([deleted])).toBeUndefined()
  })

  it('render, and prune last', async () => {
    expect(await passOn([pool()])).toMatchObject({ type: 'pool', windowMs: 0 })
    expect(await passOn([pool()], 'prune')).toEqual({
      type: 'obsolete',
      phase: 'prune',
      configs: [rendered],
    })
  })

  it('read no inputs while the batch window is open and the pool reports its change', async () => {
    const updated = { type: 'Updated', status: 'False', reason: 'RenderPending' } as const
    const waiting = { ...pool(), status: { conditions: [updated] } }
    expect(await passOn([waiting], undefined, 300)).toEqual({ type: 'batching', windowMs: 300 })
    expect(await passOn([pool()], undefined, 300)).toMatchObject({ type: 'pool', windowMs: 300 })
  })
})
