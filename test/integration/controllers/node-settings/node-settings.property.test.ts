import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContainerRuntimeConfig, MachineConfig } from '../../../../src/api/resources.ts'
import {
  containerRuntimeConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/resources.ts'
import { ifThere } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { badWord, held, ModelWorld, wordOf } from './world.ts'

const suffix = 'machineconfiguration.openshift.io/mc-name-suffix'
const pools = ['infra', 'master', 'worker']
const names = ['a', 'b', 'c', 'd']

/** What may happen next. */
type Step =
  | { do: 'create'; name: string; selects: string; word: number }
  | { do: 'edit'; name: string; word: number }
  | { do: 'reselect'; name: string; selects: string }
  | { do: 'delete'; name: string }
  | { do: 'label'; pool: string; isThere: boolean }
  | { do: 'remember' }
  | { do: 'reconcile'; name: string; writes: number; behind: string[] }
  | { do: 'forge'; name: string; text: string | null }
  | { do: 'lose'; pool: string; suffix: number }

const name = fc.constantFrom(...names)
const word = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(badWord))
const selects = fc.constantFrom('all', ...pools)
const behind = fc.oneof(
  { weight: 3, arbitrary: fc.constant<string[]>([]) },
  { weight: 1, arbitrary: fc.subarray(['ContainerRuntimeConfig', 'MachineConfig']) },
)
const honest: fc.Arbitrary<Step>[] = [
  fc.record({ do: fc.constant('create' as const), name, selects, word }),
  fc.record({ do: fc.constant('edit' as const), name, word }),
  fc.record({ do: fc.constant('delete' as const), name }),
  fc.record({ do: fc.constant('remember' as const) }),
]
const disturbing: fc.Arbitrary<Step>[] = [
  fc.record({ do: fc.constant('reselect' as const), name, selects }),
  fc.record({
    do: fc.constant('label' as const),
    pool: fc.constantFrom(...pools),
    isThere: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('forge' as const),
    name,
    text: fc.constantFrom(null, '', '1', '9', 'x'),
  }),
  fc.record({
    do: fc.constant('lose' as const),
    pool: fc.constantFrom(...pools),
    suffix: fc.integer({ min: 0, max: 2 }),
  }),
]
const pass: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('reconcile' as const),
  name,
  // Mostly it lives; else it dies with one of its first writes.
  writes: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 5 })),
  behind,
})
const story = (steps: fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(fc.oneof(...steps, pass, pass, pass), { maxLength: 25 })

async function take(world: ModelWorld, step: Step): Promise<void> {
  const { client } = world
  switch (step.do) {
    case 'create': {
      await world.clock.advance(1000)
      const metadata = { name: step.name, finalizers: [held], annotations: { kept: 'yes' } }
      const spec = { ...selecting(step.selects), ...saying(step.word) }
      const isThere = world.objects().some((one) => one.metadata.name === step.name)
      if (!isThere) await client.create(containerRuntimeConfigs, { metadata, spec })
      return
    }
    case 'edit':
      return patched(world, step.name, { spec: saying(step.word) })
    case 'reselect':
      return patched(world, step.name, { spec: selecting(step.selects) })
    case 'forge':
      return patched(world, step.name, { metadata: { annotations: { [suffix]: step.text } } })
    case 'delete':
      return void (await ifThere(client.remove(containerRuntimeConfigs, { name: step.name })))
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
      return void (await ifThere(client.remove(machineConfigs, { name: lost })))
    }
    case 'remember':
      return world.remember()
    case 'reconcile':
      await world.reconcile(step.name, { writes: step.writes, behind: step.behind })
  }
}

const selecting = (label: string) => ({
  machineConfigPoolSelector: { matchExpressions: [{ key: label, operator: 'Exists' }] },
})
const saying = (pidsLimit: number) => ({ containerRuntimeConfig: { pidsLimit } })

async function patched({ client }: ModelWorld, one: string, body: object): Promise<void> {
  await ifThere(client.patch(containerRuntimeConfigs, { name: one }, mergePatch(body)))
}

/** Whoever held on to an object lets it go, as far as it is being deleted. */
async function letGo(world: ModelWorld): Promise<void> {
  for (const { metadata } of world.objects().filter((one) => one.metadata.deletionTimestamp)) {
    const finalizers = (metadata.finalizers ?? []).filter((one) => one !== held)
    await patched(world, metadata.name, { metadata: { finalizers } })
  }
}

const owned = (world: ModelWorld, uid: string | undefined): MachineConfig[] =>
  world
    .machineConfigs()
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
const namesOf = (all: readonly { metadata: { name: string } }[]): string[] =>
  all.map(({ metadata }) => metadata.name).toSorted()
const suffixOf = ({ metadata }: ContainerRuntimeConfig): number =>
  Number(metadata.annotations?.[suffix])

/** What holds at every moment, whoever died where. */
function watch(world: ModelWorld): void {
  world.api.follow(({ type, object, resource }) => {
    const { uid } = object.metadata
    const isGone = type === 'DELETED' && resource.endsWith('/containerruntimeconfigs')
    expect(isGone ? namesOf(owned(world, uid)) : []).toEqual([])
    if (!resource.endsWith('/machineconfigs') || type === 'DELETED') return
    for (const { uid: owner } of object.metadata.ownerReferences ?? []) {
      const of = world.objects().find(({ metadata }) => metadata.uid === owner)
      expect(of?.metadata.finalizers).toContain(object.metadata.name)
    }
  })
}

/** What holds when all is done. */
function check(world: ModelWorld): void {
  const objects = world.objects()
  const uids = new Set(objects.map(({ metadata }) => metadata.uid))
  for (const { metadata } of world.machineConfigs()) {
    const [owner] = metadata.ownerReferences ?? []
    expect(owner === undefined ? metadata.name.startsWith('00-') : uids.has(owner.uid)).toBe(true)
  }
  const selected = (pool: string): ContainerRuntimeConfig[] => {
    const { labels = {} } = world.pools().find(({ metadata }) => metadata.name === pool)!.metadata
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
    expect(finalizers.slice(1).toSorted()).toEqual(namesOf(owned(world, uid)))
    const here = pools.filter((pool) => selected(pool).includes(one))
    const last = one.status?.conditions?.at(-1)
    expect(last?.type).toBe(wordOf(one) === badWord || here.length === 0 ? 'Failure' : 'Success')
    expect(one.status?.conditions).toHaveLength(
      one.status?.conditions?.[0]?.type === 'machinist.dev/Overridden' ? 2 : 1,
    )
    expect(one.status?.observedGeneration).toBe(one.metadata.generation)
    expect(here.length === 0 ? finalizers : [held]).toEqual([held])
  }
  for (const pool of pools) {
    const here = selected(pool)
    expect(new Set(here.map(suffixOf)).size).toBe(here.length)
    const good = here.filter((one) => wordOf(one) !== badWord)
    const inherited =
      pool === 'infra' ? selected('worker').filter((one) => !here.includes(one)) : []
    const before = inherited.filter((one) => wordOf(one) !== badWord).map(wordOf)
    for (const [i, one] of good.entries()) {
      const end = suffixOf(one) === 0 ? '' : `-${suffixOf(one)}`
      const made = owned(world, one.metadata.uid).find(
        ({ metadata }) => metadata.name === `99-${pool}-generated-word${end}`,
      )
      const words = [...before, ...good.slice(0, i + 1).map(wordOf)]
      expect(made?.spec).toEqual({ config: { words } })
    }
  }
}

describe('settings of nodes, whatever happens and whoever dies where', () => {
  it('have names, owners and finalizers that agree, and hold what their order says', async () => {
    await fc.assert(
      fc.asyncProperty(story([...honest, ...disturbing]), async (steps) => {
        const world = new ModelWorld()
        await world.begin(pools)
        watch(world)
        for (const step of steps) await take(world, step)
        await expect(world.settle()).resolves.toBeUndefined()
        await letGo(world)
        await expect(world.settle()).resolves.toBeUndefined()
        check(world)
      }),
      { numRuns: 150 },
    )
  })

  it('keep their names and their order as long as nobody meddles with them', async () => {
    await fc.assert(
      fc.asyncProperty(story(honest), async (steps) => {
        const world = new ModelWorld()
        await world.begin(pools)
        const seen = new Map<string, string>()
        world.api.follow(({ object }) => {
          const text = object.metadata.annotations?.[suffix]
          if (text === undefined) return
          const uid = object.metadata.uid!
          expect(seen.get(uid) ?? text).toBe(text)
          seen.set(uid, text)
        })
        for (const step of steps) await take(world, step)
        await world.settle()
      }),
      { numRuns: 100 },
    )
  })
})
