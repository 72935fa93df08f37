import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { remove } from '../../src/verbs/delete.ts'
import type { DeleteOptions } from '../../src/verbs/delete.ts'
import { GarbageWorker } from '../../src/workers/garbage.ts'
import { silentLogger } from '@machinist/core/log'
import type { OwnerReference } from '@machinist/core/resource'
import { World } from './world.ts'

let world: World
let worker: GarbageWorker

beforeEach(async () => {
  world = await World.begun()
  worker = new GarbageWorker(world.context, silentLogger)
})

afterEach(() => worker.stop())

interface Owned {
  readonly owners?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
}

async function make(name: string, { owners = [], finalizers = [] }: Owned = {}): Promise<string> {
  const { metadata } = await world.create('ConfigMap', {
    metadata: { name, ownerReferences: [...owners], finalizers: [...finalizers] },
  })
  return metadata.uid!
}

const by = (name: string, uid: string, blockOwnerDeletion?: boolean): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
})

async function end(name: string, propagation: DeleteOptions['propagation']): Promise<void> {
  await remove(world.context, world.target('ConfigMap', name), { dryRun: false, propagation })
  await world.clock.advance(0)
}

/** The names of what is left, those that are being deleted with an exclamation mark. */
async function left(): Promise<string[]> {
  for (let i = 0; i < 5; i++) await world.clock.advance(0)
  return world.store.range({ prefix: '/registry/core/configmaps/' }).map(({ key, value }) => {
    const { metadata } = JSON.parse(value) as { metadata: { deletionTimestamp?: string } }
    const name = key.split('/').at(-1)!
    return metadata.deletionTimestamp === undefined ? name : `${name}!`
  })
}

const hold = ['example.org/hold']

const release = (name: string): Promise<unknown> => {
  const { metadata } = world.read('ConfigMap', name)
  const finalizers = metadata.finalizers?.filter((each) => each !== hold[0])
  return world.update('ConfigMap', name, { metadata: { ...metadata, finalizers } })
}

describe('deletion in the foreground', () => {
  it('waits for those that block, and for no others', async () => {
    const owner = await make('owner')
    await make('blocks', { owners: [by('owner', owner, true)], finalizers: hold })
    await make('passes', { owners: [by('owner', owner, false)], finalizers: hold })
    await end('owner', 'Foreground')
    expect(await left()).toEqual(['blocks!', 'owner!', 'passes!'])
    await release('blocks')
    expect(await left()).toEqual(['passes!'])
  })

  it('goes down to the last generation first', async () => {
    const owner = await make('owner')
    const child = await make('child', { owners: [by('owner', owner, true)] })
    await make('grandchild', { owners: [by('child', child, true)], finalizers: hold })
    await end('owner', 'Foreground')
    expect(await left()).toEqual(['child!', 'grandchild!', 'owner!'])
    await release('grandchild')
    expect(await left()).toEqual([])
  })

  it('leaves what has another owner', async () => {
    const [one, two] = [await make('one'), await make('two')]
    await make('shared', { owners: [by('one', one, true), by('two', two)] })
    await end('one', 'Foreground')
    expect(await left()).toEqual(['shared', 'two'])
    expect(world.read('ConfigMap', 'shared').metadata.ownerReferences).toEqual([by('two', two)])
  })

  it('goes on when a dependent blocks no longer', async () => {
    const owner = await make('owner')
    await make('child', { owners: [by('owner', owner, true)], finalizers: hold })
    await end('owner', 'Foreground')
    const { metadata } = world.read('ConfigMap', 'child')
    const ownerReferences = [by('owner', owner, false)]
    await world.update('ConfigMap', 'child', { metadata: { ...metadata, ownerReferences } })
    expect(await left()).toEqual(['child!'])
  })

  it('ends even where objects own each other in a circle', async () => {
    const a = await make('a')
    const b = await make('b', { owners: [by('a', a, true)] })
    const { metadata } = world.read('ConfigMap', 'a')
    await world.update('ConfigMap', 'a', {
      metadata: { ...metadata, ownerReferences: [by('b', b, true)] },
    })
    await end('a', 'Foreground')
    expect(await left()).toEqual([])
  })

  it('is taken up again after a restart', async () => {
    const owner = await make('owner')
    await make('child', { owners: [by('owner', owner, true)], finalizers: hold })
    await end('owner', 'Foreground')
    await worker.stop()
    await release('child')
    expect(await left()).toEqual(['owner!'])
    worker = new GarbageWorker(world.context, silentLogger)
    expect(await left()).toEqual([])
  })
})

describe('dependents', () => {
  it('leave their own dependents alone where that was asked for', async () => {
    const owner = await make('owner')
    const child = await make('child', { owners: [by('owner', owner)], finalizers: ['orphan'] })
    await make('grandchild', { owners: [by('child', child)] })
    await end('owner', 'Background')
    expect(await left()).toEqual(['grandchild'])
    expect(world.read('ConfigMap', 'grandchild').metadata).not.toHaveProperty('ownerReferences')
  })

  it('do not belong to objects of another namespace', async () => {
    await world.create('Namespace', { metadata: { name: 'other' } })
    const { metadata } = await world.createIn('other', 'ConfigMap', { metadata: { name: 'far' } })
    await make('near', { owners: [by('far', metadata.uid!)] })
    await make('mixed', { owners: [by('far', metadata.uid!), by('here', await make('here'))] })
    expect(await left()).toEqual(['here', 'mixed', 'far'])
    expect(world.read('ConfigMap', 'mixed').metadata.ownerReferences).toMatchObject([
      { name: 'here' },
    ])
  })
})
