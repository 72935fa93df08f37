import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { ChildProcess } from 'node:child_process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import { ChildProcesses, end } from '@machinist/testing/processes/child-processes'
import { CuttableProxy } from '@machinist/testing/servers/cuttable-proxy'
import {
  clientFrom,
  clientTo,
  freshNamespace,
  kubectl,
} from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { until } from '@machinist/testing/until'
import type { KubeClient } from '../src/client/client.ts'
import type { Lease } from '../src/kinds/coordination.ts'
import { leases } from '../src/kinds/coordination.ts'
import { LeaseElection } from '../src/leases/lease-election.ts'

describeOnRealCluster('an election on a real API server', (cluster) => {
  let client: KubeClient
  let namespace: string
  let children: ChildProcesses

  beforeEach(async () => {
    client = await clientFrom(cluster.kubeconfig)
    namespace = await freshNamespace(client)
    children = new ChildProcesses(await mkdtemp(join(tmpdir(), 'machinist-candidates-')))
  })
  afterEach(() => children.stop())

  interface Candidate {
    readonly name: string
    readonly process: ChildProcess
    readonly leads: () => boolean
  }

  const candidates = (leaseMs: number): Candidate[] =>
    ['ann', 'bob', 'cid'].map((name) => {
      const program = fileURLToPath(new URL('./candidate.ts', import.meta.url))
      const args = [program, cluster.kubeconfig, namespace, name, String(leaseMs)]
      const child = children.start(name, process.execPath, args)
      return { name, process: child, leads: () => children.logTail(name) === 'leads' }
    })

  const leaders = (all: readonly Candidate[]): Candidate[] => all.filter(({ leads }) => leads())

  const lease = (): Promise<Lease> => client.get(leases, { namespace, name: 'contested' })

  /** Waits for a leader; there is never more than one. */
  const elected = async (all: readonly Candidate[]): Promise<Candidate> => {
    await until('somebody leads', () => leaders(all).length > 0)
    const [leader, ...others] = leaders(all)
    expect(others).toEqual([])
    expect((await lease()).spec?.holderIdentity).toBe(leader?.name)
    return leader!
  }

  it('elects another leader when the leader is killed', async () => {
    const all = candidates(3000)
    const first = await elected(all)
    expect((await lease()).spec).toMatchObject({ leaseDurationSeconds: 3, leaseTransitions: 0 })
    await end(first.process, 'SIGKILL')
    const survivors = all.filter((candidate) => candidate !== first)
    const second = await elected(survivors)
    expect((await lease()).spec?.leaseTransitions).toBe(1)
    const printed = await kubectl(cluster, '-n', namespace, 'get', 'lease', 'contested')
    expect(printed).toMatch(new RegExp(`contested +${second.name} `))
  })

  it('elects another leader immediately when the leader stops', async () => {
    // Too long to wait for its expiry.
    const all = candidates(3_600_000)
    const first = await elected(all)
    await end(first.process, 'SIGTERM')
    expect(children.logTail(first.name)).toBe('leads\nstops')
    const rest = all.filter((candidate) => candidate !== first)
    const second = await elected(rest)
    await end(second.process, 'SIGTERM')
    const third = rest.find((candidate) => candidate !== second)
    expect(await elected([third!])).toBe(third)
    expect((await lease()).spec?.leaseTransitions).toBe(2)
    await end(third!.process, 'SIGTERM')
    expect((await lease()).spec?.holderIdentity).toBe('')
  })

  it('never has two leaders: a partitioned leader stops before the next starts', async () => {
    const proxy = await CuttableProxy.to(cluster.server)
    const stop = new AbortController()
    const story: string[] = []
    const candidate = (name: string, api: KubeClient): Promise<void> =>
      new LeaseElection({
        api,
        lease: { namespace, name: 'contested' },
        identity: name,
        timing: { leaseMs: 2000, renewMs: 1000, retryMs: 200 },
        clock: systemClock,
        random: systemRandom,
        log: silentLogger,
        metrics: new Metrics(),
      }).lead(stop.signal, async (term) => {
        story.push(`${name} leads`)
        await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }))
        story.push(`${name} stops`)
      })
    const target = {
      origin: 'a test',
      server: proxy.url,
      ca: { file: cluster.caFile },
      token: { text: cluster.token },
    }
    const lost = candidate('lost', clientTo(target))
    await until('the first one leads', () => story.length === 1)
    const next = candidate('next', client)
    proxy.cut()
    await until('the next one leads', () => story.includes('next leads'))
    expect(story).toEqual(['lost leads', 'lost stops', 'next leads'])
    proxy.restore()
    stop.abort()
    await Promise.all([lost, next])
    await proxy.stop()
    expect(story).toEqual(['lost leads', 'lost stops', 'next leads', 'next stops'])
  })
})
