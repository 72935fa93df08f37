import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import type { OwnerReference } from '@machinist/core/objects/resource'
import { remove } from '../../src/verbs/delete.ts'
import type { DeleteOptions } from '../../src/verbs/delete.ts'
import { GarbageWorker } from '../../src/workers/garbage.ts'
import { VerbServer } from './verb-server.ts'

let server: VerbServer
let worker: GarbageWorker

beforeEach(async () => {
  server = await VerbServer.start()
  worker = new GarbageWorker(server.context, silentLogger)
})

afterEach(() => worker.stop())

interface Owned {
  readonly owners?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
}

async function make(name: string, { owners = [], finalizers = [] }: Owned = {}): Promise<string> {
  const { metadata } = await server.create('ConfigMap', {
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
  await remove(server.context, server.target('ConfigMap', name), { dryRun: false, propagation })
  await server.clock.advance(0)
}

/** Names of the remaining objects, with an exclamation mark for those being deleted. */
async function left(): Promise<string[]> {
  for (let i = 0; i < 5; i++) await server.clock.advance(0)
  return server.store.range({ prefix: '/registry/core/configmaps/' }).map(({ key, value }) => {
    const { metadata } = JSON.parse(value) as { metadata: { deletionTimestamp?: string } }
    const name = key.split('/').at(-1)!
    return metadata.deletionTimestamp === undefined ? name : `${name}!`
  })
}

const hold = ['example.org/hold']

const release = (name: string): Promise<unknown> => {
  const { metadata } = server.read('ConfigMap', name)
  const finalizers = metadata.finalizers?.filter((each) => each !== hold[0])
  return server.update('ConfigMap', name, { metadata: { ...metadata, finalizers } })
}

describe('foreground deletion', () => {
  it('waits only for blocking dependents', async () => {
    const owner = await make('owner')
    await make('blocks', { owners: [by('owner', owner, true)], finalizers: hold })
    await make('passes', { owners: [by('owner', owner, false)], finalizers: hold })
    await end('owner', 'Foreground')
    expect(await left()).toEqual(['blocks!', 'owner!', 'passes!'])
    await release('blocks')
    expect(await left()).toEqual(['passes!'])
  })

  it('deletes the last generation first', async () => {
    const owner = await make('owner')
    const child = await make('child', { owners: [by('owner', owner, true)] })
    await make('grandchild', { owners: [by('child', child, true)], finalizers: hold })
    await end('owner', 'Foreground')
    expect(await left()).toEqual(['child!', 'grandchild!', 'owner!'])
    await release('grandchild')
    expect(await left()).toEqual([])
  })

  it('keeps objects with another owner', async () => {
    const [one, two] = [await make('one'), await make('two')]
    await make('shared', { owners: [by('one', one, true), by('two', two)] })
    await end('one', 'Foreground')
    expect(await left()).toEqual(['shared', 'two'])
    expect(server.read('ConfigMap', 'shared').metadata.ownerReferences).toEqual([by('two', two)])
  })

  it('continues when a dependent no longer blocks', async () => {
    const owner = await make('owner')
    await make('child', { owners: [by('owner', owner, true)], finalizers: hold })
    await end('owner', 'Foreground')
    const { metadata } = server.read('ConfigMap', 'child')
    const ownerReferences = [by('owner', owner, false)]
    await server.update('ConfigMap', 'child', { metadata: { ...metadata, ownerReferences } })
    expect(await left()).toEqual(['child!'])
  })

  it('ends even if owner references form a cycle', async () => {
    const a = await make('a')
    const b = await make('b', { owners: [by('a', a, true)] })
    const { metadata } = server.read('ConfigMap', 'a')
    await server.update('ConfigMap', 'a', {
      metadata: { ...metadata, ownerReferences: [by('b', b, true)] },
    })
    await end('a', 'Foreground')
    expect(await left()).toEqual([])
  })

  it('resumes after a restart', async () => {
    const owner = await make('owner')
    await make('child', { owners: [by('owner', owner, true)], finalizers: hold })
    await end('owner', 'Foreground')
    await worker.stop()
    await release('child')
    expect(await left()).toEqual(['owner!'])
    worker = new GarbageWorker(server.context, silentLogger)
    expect(await left()).toEqual([])
  })
})

describe('dependents', () => {
  it('orphan their own dependents if requested', async () => {
    const owner = await make('owner')
    const child = await make('child', { owners: [by('owner', owner)], finalizers: ['orphan'] })
    await make('grandchild', { owners: [by('child', child)] })
    await end('owner', 'Background')
    expect(await left()).toEqual(['grandchild'])
    expect(server.read('ConfigMap', 'grandchild').metadata).not.toHaveProperty('ownerReferences')
  })

  it('do not belong to owners in another namespace', async () => {
    await server.create('Namespace', { metadata: { name: 'other' } })
    const { metadata } = await server.createIn('other', 'ConfigMap', { metadata: { name: 'far' } })
    await make('near', { owners: [by('far', metadata.uid!)] })
    await make('mixed', { owners: [by('far', metadata.uid!), by('here', await make('here'))] })
    expect(await left()).toEqual(['here', 'mixed', 'far'])
    expect(server.read('ConfigMap', 'mixed').metadata.ownerReferences).toMatchObject([
      { name: 'here' },
    ])
  })
})
