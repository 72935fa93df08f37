import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { ApiFailure } from '@machinist/kube/failure'
import type { Transport } from '@machinist/kube/transport/transport'
import type { MachineConfigPool, PinnedImageSet } from '../../api/kinds/resources.ts'
import { stillCache } from '../still-cache.fixture.ts'
import type { PinnedImagesCaches } from './inputs.ts'
import { pinnedImagesController } from './pinned-images.ts'

const labels = { role: 'worker' }
const pool: MachineConfigPool = {
  metadata: { name: 'worker', resourceVersion: '1' },
  spec: { machineConfigSelector: { matchLabels: labels } },
}
const set: PinnedImageSet = { metadata: { name: 'a', labels }, spec: { pinnedImages: [] } }

const random = { next: () => 0 }
const events = { normal: () => undefined, warning: () => undefined }

/** An API server that rejects a patch of the list with this code, and accepts all other requests. */
function serverThat(code: number): { client: KubeClient; statuses: MachineConfigPool[] } {
  const statuses: MachineConfigPool[] = []
  const transport: Transport = {
    request({ method, path, body }) {
      if (method === 'PATCH' && code !== 200) {
        throw new ApiFailure({ method, path }, code, { reason: 'Invalid', message: 'quotes it' })
      }
      if (path.endsWith('/status')) statuses.push(body as MachineConfigPool)
      const answer = Buffer.from(JSON.stringify(body ?? pool))
      return Promise.resolve({ code: 200, contentType: 'application/json', body: answer })
    },
    stream: () => {
      throw new Error('nothing is followed here')
    },
    close: () => undefined,
  }
  const client = new KubeClient({ transport, clock: new VirtualClock(), random })
  return { client, statuses }
}

const caches = {
  pools: stillCache(pool),
  pinnedImageSets: stillCache(set),
  nodes: stillCache(),
  machineConfigNodes: stillCache(),
} as Partial<PinnedImagesCaches> as PinnedImagesCaches

/** Reconciles the pool, whose list lacks the set. */
async function reconcile(client: KubeClient): Promise<{ refused: boolean }> {
  const { clock } = client
  const tools = { client, clock, random, log: silentLogger, metrics: new Metrics(), events }
  const context = { log: silentLogger, signal: new AbortController().signal, retries: 0 }
  const outcome = await pinnedImagesController(tools, caches).reconcile('worker', context)
  return { refused: outcome.type === 'requeue' }
}

const reported = (statuses: readonly MachineConfigPool[]) =>
  statuses.map(({ status }) => status?.conditions?.map(({ status: is, message }) => [is, message]))

describe('a list that the API server', () => {
  it('accepts causes no problem', async () => {
    const { client, statuses } = serverThat(200)
    expect(await reconcile(client)).toEqual({ refused: false })
    expect(reported(statuses)).toEqual([[['False', '']]])
  })

  it.each([400, 403, 422])('rejects with %i degrades the pool', async (code) => {
    const { client, statuses } = serverThat(code)
    expect(await reconcile(client)).toEqual({ refused: true })
    const message = `Failed to populate pinned image sets for pool worker: the API server refused the list of its PinnedImageSets (${code} Invalid)`
    expect(reported(statuses)).toEqual([[['True', message]]])
  })

  it('cannot store now is retried without a report', async () => {
    const { client, statuses } = serverThat(500)
    await expect(reconcile(client)).rejects.toThrow('quotes it')
    expect(statuses).toEqual([])
  })

  it('has no pool for is ignored', async () => {
    const { client } = serverThat(404)
    expect(await reconcile(client)).toEqual({ refused: false })
  })
})
