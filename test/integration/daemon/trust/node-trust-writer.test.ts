import { beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { NodeTrustItem, NodeTrustStatus } from '../../../../src/api/kinds/node-trust.ts'
import type { NodeTrust } from '../../../../src/api/kinds/resources.ts'
import { nodeTrusts } from '../../../../src/api/kinds/resources.ts'
import { NodeTrustWriter } from '../../../../src/daemon/trust/report/node-trust-writer.ts'
import { MemoryApi } from '../../../simulation/api/memory-api.ts'
import { Link } from '../../../simulation/link.ts'
import { Process } from '../../../simulation/process.ts'
import { SimulatedNetwork } from '../../../simulation/network.ts'

const never = new AbortController().signal
const clock = new VirtualClock()
let client: KubeClient
/** Each stored state of the NodeTrust: the UID of its owner and the state of its only item. */
let stored: string[]

beforeEach(() => {
  const api = new MemoryApi(clock)
  const network = new SimulatedNetwork(seededRandom(1))
  const process = new Process('test', clock)
  client = new KubeClient({
    transport: new Link({ api, clock, network, process, actor: 'test', place: 'here' }),
    clock,
  })
  stored = []
  api.follow(({ object }) => {
    const { metadata, status } = object as unknown as NodeTrust
    const owners = metadata.ownerReferences?.map(({ uid }) => uid).join() ?? ''
    stored.push(`${owners}: ${status?.items?.map(({ state }) => state).join() ?? 'nothing'}`)
  })
})

/** A new daemon on the Node with this UID reports the state, twice. */
async function report(uid: string, state: NodeTrustItem['state']): Promise<void> {
  const status: NodeTrustStatus = { items: [{ name: 'api-server-ca', state }] }
  const writer = new NodeTrustWriter(client, silentLogger)
  for (let i = 0; i < 2; i++) {
    const written = writer.write({ name: 'n', uid }, () => status, never)
    await clock.advance(1000)
    await written
  }
}

describe('the NodeTrust of a Node that was created again', () => {
  it('never has the new Node as owner of the status of the former one', async () => {
    await report('former', 'Current')
    await report('new', 'Lagging')
    expect(stored).toEqual([
      'former: nothing',
      'former: Current',
      'former: Lagging',
      'new: Lagging',
    ])
  })

  it('gets the new Node as owner also if the status is the same', async () => {
    await report('former', 'Current')
    await report('new', 'Current')
    expect(stored).toEqual(['former: nothing', 'former: Current', 'new: Current'])
    const { metadata } = await gotten()
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'new' },
    ])
  })
})

async function gotten(): Promise<NodeTrust> {
  const got = client.get(nodeTrusts, { name: 'n' })
  await clock.advance(1000)
  return got
}
