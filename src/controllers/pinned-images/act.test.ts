import { describe, expect, it } from 'vitest'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { ApiFailure } from '@machinist/kube/failure'
import type { Transport } from '@machinist/kube/transport/transport'
import { act } from './act.ts'

const pool: MachineConfigPool = {
  metadata: { name: 'worker', resourceVersion: '1' },
  spec: {},
}

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
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: { next: () => 0 } })
  return { client, statuses }
}

const plan = { list: [{ name: 'a' }], counts: undefined }
const { signal } = new AbortController()
const reported = (statuses: readonly MachineConfigPool[]) =>
  statuses.map(({ status }) => status?.conditions?.map(({ status: is, message }) => [is, message]))

describe('a list that the API server', () => {
  it('accepts causes no problem', async () => {
    const { client, statuses } = serverThat(200)
    expect(await act(client, pool, plan, signal)).toEqual({ refused: false })
    expect(reported(statuses)).toEqual([[['False', '']]])
  })

  it.each([400, 403, 422])('rejects with %i degrades the pool', async (code) => {
    const { client, statuses } = serverThat(code)
    expect(await act(client, pool, plan, signal)).toEqual({ refused: true })
    const message = `Failed to populate pinned image sets for pool worker: the API server refused the list of its PinnedImageSets (${code} Invalid)`
    expect(reported(statuses)).toEqual([[['True', message]]])
  })

  it('cannot store now is retried without a report', async () => {
    const { client, statuses } = serverThat(500)
    await expect(act(client, pool, plan, signal)).rejects.toThrow('quotes it')
    expect(statuses).toEqual([])
  })

  it('has no pool for is ignored', async () => {
    const { client } = serverThat(404)
    expect(await act(client, pool, plan, signal)).toEqual({ refused: false })
  })
})
