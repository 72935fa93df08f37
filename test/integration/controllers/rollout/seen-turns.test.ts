import { beforeEach, describe, expect, it } from 'vitest'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport/transport'
import { factsOf } from '../../../../src/fleet/rollout/node-facts.ts'
import type { SeenTurns } from '../../../../src/controllers/rollout/seen-turns.ts'
import { seenTurns } from '../../../../src/controllers/rollout/seen-turns.ts'
import type { Turn } from '../../../../src/fleet/rollout/turns.ts'
import { MemoryApi } from '../../../simulation/api/memory-api.ts'
import { Link } from '../../../simulation/link.ts'
import { Process } from '../../../simulation/process.ts'
import { SimulatedNetwork } from '../../../simulation/network.ts'
import type { NodeSketch } from '../../../../src/fleet/rollout/scene.fixture.ts'
import { at, node } from '../../../../src/fleet/rollout/scene.fixture.ts'

const clock = new VirtualClock()
let client: KubeClient
let requests: string[]

beforeEach(() => {
  requests = []
  const api = new MemoryApi(clock)
  const network = new SimulatedNetwork(seededRandom(1))
  const process = new Process('test', clock)
  const link = new Link({ api, clock, network, process, actor: 'test', place: 'here' })
  const transport: Transport = {
    request: (request) => {
      requests.push(`${request.method} ${request.path}`)
      return link.request(request)
    },
    stream: (request) => link.stream(request),
    close: () => link.close(),
  }
  client = new KubeClient({ transport, clock })
})

async function done<T>(work: Promise<T>): Promise<T> {
  await clock.advance(1000)
  return work
}

/** Stores a node and returns its version. */
async function stored(sketch: NodeSketch): Promise<string> {
  const { metadata, ...rest } = node({ name: 'n', ...sketch })
  const { resourceVersion: _, ...fresh } = metadata
  const made = await done(client.create<Node>(nodes, { ...rest, metadata: fresh }))
  requests = []
  return made.metadata.resourceVersion!
}

const seen = (cached: NodeSketch, turn: Omit<Turn, 'config' | 'at'>): Promise<SeenTurns> => {
  const turns = new Map([['n', { config: 'V1', at: 0, ...turn }]])
  return done(seenTurns(client, { turns, took: [] }, [factsOf(node({ name: 'n', ...cached }))]))
}

describe('a turn', () => {
  it('that seems to have ended is checked with the API server', async () => {
    const version = await stored(at('V0', 'V1', { state: 'Working' }))
    const { nodes: facts, restored } = await seen(at('V1', 'V1', { version: '5000' }), {
      from: '9',
    })
    expect(facts).toMatchObject([{ name: 'n', current: 'V0', state: 'Working', version }])
    expect([...restored]).toEqual([])
  })

  it('of a deleted node has no node', async () => {
    expect((await seen(at('V1', 'V1', { version: '5000' }), { from: '9' })).nodes).toEqual([])
  })

  it('is void if the API server has the node at an older version', async () => {
    const version = await stored(at('V0'))
    const { restored } = await seen(at('V0', 'V0', { version }), { from: '5000' })
    expect([...restored]).toEqual(['n'])
  })

  it.each<[string, NodeSketch]>([
    ['is in progress', at('V0', 'V1', { state: 'Working', version: '10' })],
    ['was given at this version', at('V0', 'V0', { version: '9' })],
  ])('that %s costs no request', async (_, cached) => {
    const { nodes: facts } = await seen(cached, { from: '9' })
    expect([facts.length, requests]).toEqual([1, []])
  })
})
