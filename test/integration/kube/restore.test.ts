import { describe, expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import { input } from '@machinist/kube/controller/controller'
import { settled } from '@machinist/kube/controller/outcome'
import { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { Revisions } from '../../simulation/api/memory-api.ts'
import { MemoryApi } from '../../simulation/api/memory-api.ts'
import { Link } from '../../simulation/link.ts'
import { Process } from '../../simulation/process.ts'
import { SimulatedNetwork } from '../../simulation/network.ts'

/** An API that can be restored, with an informer and controllers. */
class RestoredApi {
  readonly clock = new VirtualClock()
  readonly api = new MemoryApi(this.clock)
  readonly process = new Process('test', this.clock)
  readonly client: KubeClient
  readonly tools

  constructor() {
    const { api, clock, process } = this
    const network = new SimulatedNetwork(seededRandom(1))
    const link = new Link({ api, clock, network, process, actor: 'test', place: 'here' })
    this.client = new KubeClient({ transport: link, clock })
    const log = createLogger({ clock, write: () => {} })
    this.tools = { clock, log, random: seededRandom(2), metrics: new Metrics() }
  }

  informer(): Informer<Node> {
    return new Informer({
      ...this.tools,
      resource: 'nodes',
      source: this.client.listWatch(nodes, {}),
    })
  }

  async done<T>(work: Promise<T>): Promise<T> {
    await this.clock.advance(1000)
    return work
  }

  async label(value: string): Promise<void> {
    const patch = mergePatch({ metadata: { labels: { v: value } } })
    await this.done(this.client.patch(nodes, { name: 'n' }, patch))
  }
}

const node: Node = { metadata: { name: 'n', labels: { v: '1' } } }

describe.each<Revisions>(['back', 'ahead'])(
  'etcd is restored, and revisions go %s',
  (revisions) => {
    it('an informer detects a restore before its cache goes back', async () => {
      const restored = new RestoredApi()
      await restored.done(restored.client.create(nodes, node))
      const informer = restored.informer()
      const seen: (string | undefined)[] = []
      informer.onRestore(() => seen.push(informer.get('n')?.metadata.labels?.['v']))
      void informer.start(restored.process.signal)
      const backup = restored.api.backup()
      await restored.label('2')
      expect(informer.get('n')?.metadata.labels?.['v']).toBe('2')
      restored.api.compact()
      await restored.clock.advance(60_000)
      expect(seen).toEqual([])
      restored.api.restore(backup, revisions)
      await restored.clock.advance(60_000)
      expect(seen).toEqual(['2'])
      expect(informer.get('n')?.metadata.labels?.['v']).toBe('1')
      restored.process.kill()
    })

    it('controllers restart once, with empty caches', async () => {
      const restored = new RestoredApi()
      await restored.done(restored.client.create(nodes, node))
      const reconciled: string[] = []
      let starts = 0
      const set = runControllerSet(
        {
          ...restored.tools,
          client: restored.client,
          component: 'test',
          stopGraceMs: 1000,
          controllers: (_, keep) => {
            starts += 1
            const informer = restored.informer()
            keep(informer)
            const reconcile = async () => {
              reconciled.push(`${starts} ${informer.get('n')?.metadata.labels?.['v']}`)
              return settled
            }
            const inputs = [input({ resource: 'Node', informer })]
            return [{ name: 'test', inputs, outputs: [], reconcile }]
          },
        },
        restored.process.signal,
      )
      await restored.clock.advance(1000)
      const backup = restored.api.backup()
      await restored.label('2')
      restored.api.restore(backup, revisions)
      await restored.clock.advance(60_000)
      expect(reconciled).toEqual(['1 1', '1 2', '2 1'])
      restored.process.stop()
      await restored.clock.advance(60_000)
      await set
      expect(starts).toBe(2)
    })
  },
)
