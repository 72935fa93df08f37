import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ignoreNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { ContainerRuntimeConfig, MachineConfig } from '../../../../src/api/kinds/resources.ts'
import {
  containerRuntimeConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { invalidValue, held, ModelCluster, modelValue } from './running-controller.ts'

const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'
const pools = ['infra', 'master', 'worker']
const names = ['a', 'b', 'c', 'd']

/** The actions of users, caches and the controller. */
type Step =
  | { action: 'create'; name: string; selects: string; word: number }
  | { action: 'edit'; name: string; word: number }
  | { action: 'reselect'; name: string; selects: string }
  | { action: 'delete'; name: string }
  | { action: 'label'; pool: string; isThere: boolean }
  | { action: 'remember' }
  | { action: 'reconcile'; name: string; writes: number; behind: string[] }
  | { action: 'forge'; name: string; text: string | null }
  | { action: 'lose'; pool: string; suffix: number }

const name = fc.constantFrom(...names)
const word = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(invalidValue))
const selects = fc.constantFrom('all', ...pools)
const behind = fc.oneof(
  { weight: 3, arbitrary: fc.constant<string[]>([]) },
  { weight: 1, arbitrary: fc.subarray(['ContainerRuntimeConfig', 'MachineConfig']) },
)
const honest: fc.Arbitrary<Step>[] = [
  fc.record({ action: fc.constant('create' as const), name, selects, word }),
  fc.record({ action: fc.constant('edit' as const), name, word }),
  fc.record({ action: fc.constant('delete' as const), name }),
  fc.record({ action: fc.constant('remember' as const) }),
]
const disturbing: fc.Arbitrary<Step>[] = [
  fc.record({ action: fc.constant('reselect' as const), name, selects }),
  fc.record({
    action: fc.constant('label' as const),
    pool: fc.constantFrom(...pools),
    isThere: fc.boolean(),
  }),
  fc.record({
    action: fc.constant('forge' as const),
    name,
    text: fc.constantFrom(null, '', '1', '9', 'x'),
  }),
  fc.record({
    action: fc.constant('lose' as const),
    pool: fc.constantFrom(...pools),
    suffix: fc.integer({ min: 0, max: 2 }),
  }),
]
const pass: fc.Arbitrary<Step> = fc.record({
  action: fc.constant('reconcile' as const),
  name,
  // Mostly it survives; otherwise it dies at one of its first writes.
  writes: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 5 })),
  behind,
})
const scenario = (steps: fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(...steps, pass, pass, pass), { maxLength: 25 })

async function perform(cluster: ModelCluster, step: Step): Promise<void> {
  const { client } = cluster
  switch (step.action) {
    case 'create': {
      await cluster.clock.advance(1000)
      const metadata = { name: step.name, finalizers: [held], annotations: { kept: 'yes' } }
      const spec = { ...selecting(step.selects), ...settings(step.word) }
      const isThere = cluster.objects().some((one) => one.metadata.name === step.name)
      if (!isThere) await client.create(containerRuntimeConfigs, { metadata, spec })
      return
    }
    case 'edit':
      return patched(cluster, step.name, { spec: settings(step.word) })
    case 'reselect':
      return patched(cluster, step.name, { spec: selecting(step.selects) })
    case 'forge':
      return patched(cluster, step.name, { metadata: { annotations: { [suffix]: step.text } } })
    case 'delete':
      return void (await ignoreNotFound(
        client.remove(containerRuntimeConfigs, { name: step.name }),
      ))
    case 'label': {
      const labels = { all: step.isThere ? '' : null }
      const key = { name: step.pool }
      return void (await client.patch(
        machineConfigPools,
        key,
        mergePatch({ metadata: { labels } }),
      ))
    }
    case 'lose': {
      const lost = `99-${step.pool}-generated-word${step.suffix === 0 ? '' : `-${step.suffix}`}`
      return void (await ignoreNotFound(client.remove(machineConfigs, { name: lost })))
    }
    case 'remember':
      return cluster.remember()
    case 'reconcile':
      await cluster.reconcile(step.name, { writes: step.writes, behind: step.behind })
  }
}

const selecting = (label: string) => ({
  machineConfigPoolSelector: { matchExpressions: [{ key: label, operator: 'Exists' }] },
})
const settings = (pidsLimit: number) => ({ containerRuntimeConfig: { pidsLimit } })

async function patched({ client }: ModelCluster, one: string, body: object): Promise<void> {
  await ignoreNotFound(client.patch(containerRuntimeConfigs, { name: one }, mergePatch(body)))
}

/** Removes the finalizer of another controller from objects that are being deleted. */
async function releaseDeleted(cluster: ModelCluster): Promise<void> {
  for (const { metadata } of cluster.objects().filter((one) => one.metadata.deletionTimestamp)) {
    const finalizers = (metadata.finalizers ?? []).filter((one) => one !== held)
    await patched(cluster, metadata.name, { metadata: { finalizers } })
  }
}

const owned = (cluster: ModelCluster, uid: string | undefined): MachineConfig[] =>
  cluster
    .machineConfigs()
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
const namesOf = (all: readonly { metadata: { name: string } }[]): string[] =>
  all.map(({ metadata }) => metadata.name).toSorted()
const suffixOf = ({ metadata }: ContainerRuntimeConfig): number =>
  Number(metadata.annotations?.[suffix])

/** Invariants that hold at every moment. */
function watch(cluster: ModelCluster): void {
  cluster.api.follow(({ type, object, resource }) => {
    const { uid } = object.metadata
    const isGone = type === 'DELETED' && resource.endsWith('/containerruntimeconfigs')
    expect(isGone ? namesOf(owned(cluster, uid)) : []).toEqual([])
    if (!resource.endsWith('/machineconfigs') || type === 'DELETED') return
    for (const { uid: owner } of object.metadata.ownerReferences ?? []) {
      const of = cluster.objects().find(({ metadata }) => metadata.uid === owner)
      expect(of?.metadata.finalizers).toContain(object.metadata.name)
    }
  })
}

/** Invariants that hold when the cluster is settled. */
function check(cluster: ModelCluster): void {
  const objects = cluster.objects()
  const uids = new Set(objects.map(({ metadata }) => metadata.uid))
  for (const { metadata } of cluster.machineConfigs()) {
    const [owner] = metadata.ownerReferences ?? []
    expect(owner === undefined ? metadata.name.startsWith('00-') : uids.has(owner.uid)).toBe(true)
  }
  const selected = (pool: string): ContainerRuntimeConfig[] => {
    const { labels = {} } = cluster.pools().find(({ metadata }) => metadata.name === pool)!.metadata
    return objects
      .filter(
        ({ spec }) => labels[spec.machineConfigPoolSelector!.matchExpressions![0]!.key] === '',
      )
      .toSorted((a, b) => suffixOf(a) - suffixOf(b))
  }
  for (const one of objects) {
    const { annotations, finalizers = [], uid } = one.metadata
    expect(annotations?.['kept']).toBe('yes')
    expect(finalizers[0]).toBe(held)
    expect(finalizers.slice(1).toSorted()).toEqual(namesOf(owned(cluster, uid)))
    const here = pools.filter((pool) => selected(pool).includes(one))
    const last = one.status?.conditions?.at(-1)
    expect(last?.type).toBe(
      modelValue(one) === invalidValue || here.length === 0 ? 'Failure' : 'Success',
    )
    expect(one.status?.conditions).toHaveLength(
      one.status?.conditions?.[0]?.type === 'machinist.dev/Overridden' ? 2 : 1,
    )
    expect(one.status?.observedGeneration).toBe(one.metadata.generation)
    expect(here.length === 0 ? finalizers : [held]).toEqual([held])
  }
  for (const pool of pools) {
    const here = selected(pool)
    expect(new Set(here.map(suffixOf)).size).toBe(here.length)
    const good = here.filter((one) => modelValue(one) !== invalidValue)
    const inherited =
      pool === 'infra' ? selected('worker').filter((one) => !here.includes(one)) : []
    const before = inherited.filter((one) => modelValue(one) !== invalidValue).map(modelValue)
    for (const [i, one] of good.entries()) {
      const end = suffixOf(one) === 0 ? '' : `-${suffixOf(one)}`
      const made = owned(cluster, one.metadata.uid).find(
        ({ metadata }) => metadata.name === `99-${pool}-generated-word${end}`,
      )
      const words = [...before, ...good.slice(0, i + 1).map(modelValue)]
      expect(made?.spec).toEqual({ config: { words } })
    }
  }
}

describe('node settings with random actions and crashes', () => {
  it('have consistent names, owners and finalizers, and are merged in order', async () => {
    await fc.assert(
      fc.asyncProperty(scenario([...honest, ...disturbing]), async (steps) => {
        const cluster = new ModelCluster()
        await cluster.begin(pools)
        watch(cluster)
        for (const step of steps) await perform(cluster, step)
        await expect(cluster.settle()).resolves.toBeUndefined()
        await releaseDeleted(cluster)
        await expect(cluster.settle()).resolves.toBeUndefined()
        check(cluster)
      }),
      { numRuns: 150 },
    )
  })

  it('keep their suffixes unless a user changes them', async () => {
    await fc.assert(
      fc.asyncProperty(scenario(honest), async (steps) => {
        const cluster = new ModelCluster()
        await cluster.begin(pools)
        const seen = new Map<string, string>()
        cluster.api.follow(({ object }) => {
          const text = object.metadata.annotations?.[suffix]
          if (text === undefined) return
          const uid = object.metadata.uid!
          expect(seen.get(uid) ?? text).toBe(text)
          seen.set(uid, text)
        })
        for (const step of steps) await perform(cluster, step)
        await cluster.settle()
      }),
      { numRuns: 100 },
    )
  })
})
