import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { ApiFailure } from '@machinist/kube/failure'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import type { Transport } from '@machinist/kube/transport/transport'
import { stillCache } from '../../controllers/still-cache.fixture.ts'
import { podCollectorStandIn } from './pod-collector-stand-in.ts'

const podOn = (node: string | undefined): Pod => ({
  metadata: { namespace: 'shop', name: 'web', uid: 'u' },
  spec: { containers: [], ...(node !== undefined && { nodeName: node }) },
})

/** Records deleted pods. The node `late` exists, but is not in the cache yet. */
async function deletedOf(pod: Pod, nodes: readonly string[]): Promise<string[]> {
  const deleted: string[] = []
  const transport: Transport = {
    request: ({ method, path, body }) => {
      if (method === 'DELETE') deleted.push(`${path} ${JSON.stringify(body)}`)
      if (method === 'GET' && !path.endsWith('/late')) {
        return Promise.reject(new ApiFailure({ method, path }, 404, {}))
      }
      const answer = Buffer.from(JSON.stringify({ metadata: { name: 'x' } }))
      return Promise.resolve({ code: 200, contentType: 'application/json', body: answer })
    },
    stream: () => {
      throw new Error('nothing is followed here')
    },
    close: () => undefined,
  }
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: { next: () => 0 } })
  const known = nodes.map((name): Node => ({ metadata: { name } }))
  const pods = { ...stillCache<Pod>(), get: () => pod }
  const controller = podCollectorStandIn({ client }, { pods, nodes: stillCache(...known) })
  const context = { log: silentLogger, signal: new AbortController().signal, retries: 0 }
  await controller.reconcile('shop/web', context)
  return deleted
}

describe('pods of a deleted node', () => {
  it('are deleted immediately', async () => {
    const deleted = await deletedOf(podOn('gone'), ['there'])
    expect(deleted).toHaveLength(1)
    expect(deleted[0]).toContain('/api/v1/namespaces/shop/pods/web')
    expect(deleted[0]).toContain('"gracePeriodSeconds":0')
    expect(deleted[0]).toContain('"uid":"u"')
  })

  it.each([
    ['whose node is there', 'there'],
    ['whose node is not in the cache yet', 'late'],
    ['without a node', undefined],
  ])('are kept %s', async (_what, node) => {
    expect(await deletedOf(podOn(node), ['there'])).toEqual([])
  })
})
