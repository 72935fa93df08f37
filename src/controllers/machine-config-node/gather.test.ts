import { expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport/transport'
import { newMachineConfigNode } from '../../api/kinds/new-machine-config-node.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'

const cacheOf = <T extends KubeObject>(...objects: readonly T[]): Informer<T> => {
  const byName = new Map(objects.map((object) => [object.metadata.name, object]))
  const cache: Pick<Informer<T>, 'get' | 'list'> = {
    get: (name) => byName.get(name as string),
    list: () => [...objects],
  }
  return cache as Informer<T>
}

const nodeWith = (uid: string): Node => ({ metadata: { name: 'n', uid } })

/** The action for node `n` if the cache and the API server have different machines with that name. */
async function done(cached: string, server: string, owner: string): Promise<string> {
  const body = Buffer.from(JSON.stringify(nodeWith(server)))
  const transport: Transport = {
    request: () => Promise.resolve({ code: 200, contentType: 'application/json', body }),
    stream: () => {
      throw new Error('nothing is followed here')
    },
    close: () => undefined,
  }
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: { next: () => 0 } })
  const caches = {
    nodes: cacheOf(nodeWith(cached)),
    pools: cacheOf(),
    machineConfigNodes: cacheOf(newMachineConfigNode({ name: 'n', uid: owner })),
  }
  const { signal } = new AbortController()
  const facts = await gather('n', caches as never, { client, signal })
  return decide(facts).action
}

it('the report of a new machine is kept while the cache still has the former one', async () => {
  expect(await done('old', 'new', 'new')).toBe('nothing')
})

it('the report of a former machine is deleted', async () => {
  expect(await done('new', 'new', 'old')).toBe('remove')
})
