import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Lister } from '@machinist/kube/informer/informer'
import { OwnWrites } from '@machinist/kube/informer/own-writes'
import type { PoolSketch } from '../../fleet/pools/pool.fixture.ts'
import type { NodeSketch } from '../../fleet/rollout/scene.fixture.ts'
import { pool } from '../../fleet/pools/pool.fixture.ts'
import { at, node } from '../../fleet/rollout/scene.fixture.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { explainPool } from '../../fleet/rollout/explain.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import { Membership } from './membership.ts'

function lister<T extends KubeObject>(objects: readonly T[]): Lister<T> {
  const byName = new Map(objects.map((object) => [object.metadata.name, object]))
  return { get: (name) => byName.get(name as string), list: () => [...objects], byIndex: () => [] }
}

type Nodes = Readonly<Record<string, readonly NodeSketch[]>>

/** Pools of the names given, each with its nodes `<pool>-0`, `<pool>-1`, … */
async function factsFor(
  name: string,
  pools: readonly PoolSketch[],
  nodes: Nodes,
  machineConfigs: readonly MachineConfig[] = [],
): Promise<RolloutFacts> {
  const allPools = pools.map(pool)
  const allNodes = Object.entries(nodes).flatMap(([of, sketches]) =>
    sketches.map((sketch, i) =>
      node({
        name: `${of}-${i}`,
        ...sketch,
        labels: { [`node-role.kubernetes.io/${of}`]: '' },
      }),
    ),
  )
  const membership = new Membership()
  for (const each of allPools) membership.putPool(each)
  for (const { metadata } of allNodes) membership.putNode(metadata.name, metadata.labels)
  const facts = await gather(
    {
      caches: {
        pools: lister(allPools),
        nodes: lister(allNodes),
        machineConfigs: lister(machineConfigs),
      },
      membership,
      writtenPools: new OwnWrites(new VirtualClock()),
      writtenNodes: new OwnWrites(new VirtualClock()),
      // No test here sends a request.
      client: undefined as unknown as KubeClient,
      clock: new VirtualClock(),
    },
    name,
  )
  return facts!
}

describe('arbiter and control plane', () => {
  const both = [{ name: 'master' }, { name: 'arbiter' }]
  const chosen = async (of: string, pools: readonly PoolSketch[], nodes: Nodes) => {
    const facts = await factsFor(of, pools, nodes)
    return [
      decide(facts)
        .chosen.map(({ name }) => name)
        .join(),
      facts.waitReason ?? '',
    ]
  }

  it('the control plane is updated first', async () => {
    const nodes = { master: [at('V0'), at('V0')], arbiter: [at('V0')] }
    expect(await chosen('master', both, nodes)).toEqual(['master-0', ''])
    expect(await chosen('arbiter', both, nodes)).toEqual([
      '',
      "the control plane's master-0 goes first",
    ])
  })

  it('the arbiter waits for the last control plane node', async () => {
    const nodes = { master: [at('V1'), at('V0', 'V1')], arbiter: [at('V0')] }
    expect(await chosen('arbiter', both, nodes)).toEqual([
      '',
      "the control plane's master-1 is out of service",
    ])
    const done = { master: [at('V1'), at('V1')], arbiter: [at('V0')] }
    expect(await chosen('arbiter', both, done)).toEqual(['arbiter-0', ''])
  })

  it('the control plane waits for an arbiter that is not ready', async () => {
    const nodes = { master: [at('V0'), at('V0')], arbiter: [at('V1', 'V1', { ready: false })] }
    expect(await chosen('master', both, nodes)).toEqual([
      '',
      'the arbiter arbiter-0 is out of service',
    ])
  })

  it('each waits for an open turn of the other', async () => {
    const turns = { 'arbiter-0': { config: 'V1', from: '1', at: 0 } }
    const annotations = { 'machinist.dev/rollout': JSON.stringify({ turns, took: [] }) }
    const pools = [{ name: 'master' }, { name: 'arbiter', annotations }]
    const nodes = { master: [at('V0')], arbiter: [at('V0')] }
    expect(await chosen('master', pools, nodes)).toEqual([
      '',
      'the arbiter arbiter-0 is out of service',
    ])
  })

  it('a paused control plane does not block the arbiter, unless one of its nodes is not ready', async () => {
    const pools = [{ name: 'master', paused: true }, { name: 'arbiter' }]
    const healthy = { master: [at('V0'), at('V0')], arbiter: [at('V0')] }
    expect(await chosen('arbiter', pools, healthy)).toEqual(['arbiter-0', ''])
    const away = { master: [at('V0'), at('V0', 'V0', { ready: false })], arbiter: [at('V0')] }
    expect(await chosen('arbiter', pools, away)).toEqual([
      '',
      "the control plane's master-1 is out of service",
    ])
  })

  it('the control plane waits for nothing without an arbiter pool', async () => {
    expect(await chosen('master', [{ name: 'master' }], { master: [at('V0')] })).toEqual([
      'master-0',
      '',
    ])
  })
})

describe('a node that booted into a custom pool', () => {
  const rendered: MachineConfig = {
    metadata: {
      name: 'rendered-infra-1',
      ownerReferences: [
        {
          apiVersion: 'x/v1',
          kind: 'MachineConfigPool',
          name: 'infra',
          uid: 'u',
          controller: true,
        },
      ],
    },
  }
  const domain = 'machineconfiguration.openshift.io'
  const booted = { [`${domain}/firstPivotConfig`]: 'rendered-infra-1' }
  const pools = [{ name: 'worker' }, { name: 'infra' }]
  const newcomers = async (annotations: Record<string, string>) => {
    const nodes = { worker: [at('rendered-infra-1', 'rendered-infra-1', { annotations })] }
    return (await factsFor('worker', pools, nodes, [rendered])).newcomers
  }

  it('is recognized by its firstPivotConfig', async () => {
    expect(await newcomers(booted)).toEqual(
      new Map([['worker-0', { pool: 'infra', labels: { 'node-role.kubernetes.io/infra': '' } }]]),
    )
  })

  it('is an ordinary node once its labels are applied, or without the annotation', async () => {
    const applied = { ...booted, [`${domain}/customPoolLabelsApplied`]: '' }
    expect(await newcomers(applied)).toEqual(new Map())
    expect(await newcomers({})).toEqual(new Map())
  })
})

describe('nodes that another controller configured', () => {
  const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
  const config = (name: string, by: string, text: string): MachineConfig => ({
    metadata: { name, annotations: { [generatedBy]: by } },
    spec: {
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: [{ path: '/etc/motd', mode: 420, contents: { source: `data:,${text}` } }],
        },
      },
    },
  })
  const commit = '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6'
  const nodes = { worker: [at('V0'), at('V0')] }
  const factsWith = (...configs: readonly MachineConfig[]): Promise<RolloutFacts> =>
    factsFor('worker', [{ name: 'worker' }], nodes, configs)

  it('hold the pool: no node is written', async () => {
    const facts = await factsWith(config('V0', commit, 'a'), config('V1', 'machinist-1.2.3', 'b'))
    const plan = decide(facts)
    expect([plan.chosen, plan.writes, plan.record]).toEqual([[], [], undefined])
    expect(explainPool(plan).at(-1)).toMatchObject({
      check: 'no other controller configured the nodes',
      passed: false,
    })
    expect(facts.isForeignTarget).toBeUndefined()
  })

  it('get a target with the same content', async () => {
    const facts = await factsWith(config('V0', commit, 'a'), config('V1', 'machinist-1.2.3', 'a'))
    expect(facts.hold).toBeUndefined()
    expect(decide(facts).chosen).toHaveLength(1)
  })

  it('leave the pool to that controller if it rendered the target', async () => {
    const facts = await factsWith(config('V0', commit, 'a'), config('V1', commit, 'b'))
    expect(facts.isForeignTarget).toBe(true)
    expect(decide(facts).writes).toEqual([])
  })

  it('do not hold the pool if Machinist configured them', async () => {
    const facts = await factsWith(config('V0', '0.1.0', 'a'), config('V1', 'machinist-1.2.3', 'b'))
    expect(decide(facts).chosen).toHaveLength(1)
  })
})
