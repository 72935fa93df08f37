import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { isConflict } from '@machinist/kube/failure'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { nodeTrusts } from '../../../../src/api/kinds/resources.ts'
import type { KubeletRestartTurn } from '../../../../src/daemon/trust/api-server-ca/kubelet-restart-turn.ts'
import { operatorTurns } from '../../../../src/daemon/trust/api-server-ca/kubelet-restart-turn.ts'
import { runKubeletTurns } from '../../../support/kubelet-turns.ts'
import type { Api } from '../cluster/api.ts'
import { clientOf, startApi } from '../cluster/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const never = new AbortController().signal

const turnOf = (node: string, seed = 1): KubeletRestartTurn =>
  operatorTurns({
    node,
    client: api.client,
    clock: systemClock,
    random: seededRandom(seed),
    log: silentLogger,
  })

async function join(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  await api.client.create(nodes, { metadata: { name, labels } })
  await api.client.create(nodeTrusts, { metadata: { name } })
}

/** The request in the status; undefined returns the turn. */
async function request(name: string, requestedAt?: string): Promise<void> {
  const kubeletRestart = requestedAt === undefined ? null : { requestedAt }
  const patch = mergePatch({ status: { kubeletRestart } })
  await api.client.patch(nodeTrusts, { name }, patch, { subresource: 'status' })
}

const at = '2026-11-16T14:02:00Z'

interface Served {
  readonly most: number
  readonly served: readonly string[]
}

/** All nodes request a turn at once; counts how many have one at the same time. */
async function all(names: readonly string[]): Promise<Served> {
  let [now, most] = [0, 0]
  const served: string[] = []
  await Promise.all(
    names.map(async (node, seed) => {
      await request(node, at)
      await turnOf(node, seed)(never, async () => {
        most = Math.max(most, ++now)
        const { status } = await api.client.get(nodeTrusts, { name: node })
        expect(status?.kubeletRestart?.startedAt).toBeDefined()
        served.push(node)
        now--
      })
      await request(node)
    }),
  )
  return { most, served: served.sort() }
}

describe('nodes that restart their kubelets', () => {
  const stop = new AbortController()
  let running: Promise<void>
  beforeAll(() => {
    running = runKubeletTurns(api.client, stop.signal)
  })
  afterAll(async () => {
    stop.abort()
    await running
  })

  it('are at most one of the control plane, with either of its labels', async () => {
    const names = ['control-plane-0', 'control-plane-1', 'master-0', 'master-1']
    for (const name of names) {
      await join(name, { [`node-role.kubernetes.io/${name.slice(0, -2)}`]: '' })
    }
    expect(await all(names)).toEqual({ most: 1, served: names })
    await until('the last turn is returned', async () => {
      const { spec } = await api.client.get(nodeTrusts, { name: 'master-1' })
      return spec?.kubeletRestart === undefined
    })
  })

  it('are at most ten workers', async () => {
    const names = Array.from({ length: 20 }, (_, number) => `worker-${number + 10}`)
    for (const name of names) await join(name)
    const { most, served } = await all(names)
    expect(served).toEqual(names)
    expect(most).toBeLessThanOrEqual(10)
  })
})

describe('a turn', () => {
  it('does not begin without a grant, nor with a grant that the operator has just withdrawn', async () => {
    await join('late')
    await request('late', at)
    const grant = (grantedAt: string | null): Promise<unknown> => {
      const patch = mergePatch({ spec: { kubeletRestart: { grantedAt } } })
      return api.client.patch(nodeTrusts, { name: 'late' }, patch)
    }
    // Withdrawn between the read and the write that begins the turn.
    const begun: string[] = []
    const { transport, close } = await clientOf(api.kubeconfig)
    const client = new KubeClient({
      clock: systemClock,
      transport: {
        stream: (sent) => transport.stream(sent),
        close: () => {},
        request: async (sent) => {
          if (sent.method !== 'PATCH') return await transport.request(sent)
          if (begun.length === 0) await grant(null)
          const answer = transport.request(sent)
          const outcome = answer.then(
            () => 'accepted',
            (error: unknown) => (isConflict(error) ? 'conflict' : 'failed'),
          )
          begun.push(await outcome)
          return await answer
        },
      },
    })
    const given = { client, clock: systemClock, random: seededRandom(1), log: silentLogger }
    const turn = operatorTurns({ ...given, node: 'late' })(never, async () => {
      begun.push('worked')
    })
    await grant(at)
    await until('the node tried to begin', () => begun.length > 0)
    expect(begun).toEqual(['conflict'])
    await grant(at)
    await turn
    expect(begun).toEqual(['conflict', 'accepted', 'worked'])
    close()
  })

  it('ends at once when it is aborted', async () => {
    await join('given-up')
    await request('given-up', at)
    const stop = new AbortController()
    const turn = turnOf('given-up')(stop.signal, async () => 'worked')
    stop.abort()
    expect(await turn).toBeUndefined()
  })
})
