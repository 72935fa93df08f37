import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { leaseName, turnsAmongNodes } from '../../../src/daemon/trust/kubelet-restart-turn.ts'
import { leases } from '../../../src/kube/kinds/coordination.ts'
import { namespaces, nodes } from '../../../src/kube/kinds/core.ts'
import type { Api } from '../cluster/api.ts'
import { startApi } from '../cluster/api.ts'

const namespace = 'openshift-machine-config-operator'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.client.create(namespaces, { metadata: { name: namespace } })
})
afterAll(() => api.stop())

describe('whose turn it is', () => {
  it('is one among the whole control plane, and one of ten among the others', () => {
    expect(leaseName('master-0', true)).toBe('machinist-kubelet-restart-control-plane')
    // The last digits of the first 32 bits that sha256sum prints: 0xfc8e34e0, 0x13029f9e, 0x1ce9fa3f.
    expect(['worker-0', 'worker-1', 'worker-2'].map((node) => leaseName(node, false))).toEqual([
      'machinist-kubelet-restart-worker-0',
      'machinist-kubelet-restart-worker-8',
      'machinist-kubelet-restart-worker-9',
    ])
    expect(leaseName('worker-0', false, 1)).toBe('machinist-kubelet-restart-worker-0')
  })

  it('is spread evenly', () => {
    const names = Array.from({ length: 1000 }, (_, i) => leaseName(`worker-${i}`, false))
    const counts = new Map<string, number>()
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    expect(counts.size).toBe(10)
    expect(Math.max(...counts.values())).toBeLessThan(140)
  })
})

interface Watched {
  readonly most: number
  readonly served: readonly string[]
}

/** All want a turn at once; how many have one at the same time is counted. */
async function all(
  names: readonly string[],
  labels: Readonly<Record<string, string>>,
): Promise<Watched> {
  for (const name of names) await api.client.create(nodes, { metadata: { name, labels } })
  let [now, most] = [0, 0]
  const served: string[] = []
  const never = new AbortController().signal
  await Promise.all(
    names.map((node, seed) =>
      turnsAmongNodes({
        node,
        client: api.client,
        clock: systemClock,
        random: seededRandom(seed),
        log: silentLogger,
        metrics: new Metrics(),
        timing: { leaseMs: 20_000, renewMs: 10_000, retryMs: 10 },
      })(never, async () => {
        most = Math.max(most, ++now)
        await pause(5)
        served.push(node)
        now--
      }),
    ),
  )
  return { most, served: served.sort() }
}

describe('nodes that restart their kubelets', () => {
  it('are never two of the control plane, whatever its label is called', async () => {
    const [old, young] = [
      ['master-0', 'master-1'],
      ['control-plane-0', 'control-plane-1'],
    ] as const
    const both = await Promise.all([
      all(old, { 'node-role.kubernetes.io/master': '' }),
      all(young, { 'node-role.kubernetes.io/control-plane': '' }),
    ])
    expect(both.map(({ served }) => served)).toEqual([
      ['master-0', 'master-1'],
      ['control-plane-0', 'control-plane-1'],
    ])
    expect(both.map(({ most }) => most)).toEqual([1, 1])
    const { items } = await api.client.list(leases, { namespace })
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      'machinist-kubelet-restart-control-plane',
    ])
    expect(items[0]!.spec).toMatchObject({ holderIdentity: '' })
  })

  it('are ten workers at most, of any number', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `worker-${i}`)
    const { most, served } = await all(names, { 'node-role.kubernetes.io/worker': '' })
    expect(served).toEqual(names.sort())
    expect(most).toBeLessThanOrEqual(10)
    expect(most).toBeGreaterThan(1)
  })
})
