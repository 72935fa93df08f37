import { base64Source } from '@machinist/ignition/content'
import { mergeForNodes } from '@machinist/ignition/merge-for-nodes'
import type { MachineConfig } from '../src/api/kinds/resources.ts'
import { InputCache } from '../src/controllers/render/input-cache.ts'
import { inMergeOrder } from '../src/fleet/render/merge-order.ts'
import { Renderer } from '../src/fleet/render/renderer.ts'
import { printTable } from './table.ts'

/**
 * The cost of rendering a pool with MachineConfigs of 10 files of 1.5 kB each: the first time, after one change, without a
 * change, and the merge alone; and the memory of the caches (exact with `--expose-gc`). `-o json` prints JSON instead of a table.
 */
const sizes = [100, 300, 1000]
const images = { osImageURL: 'os', baseOSExtensionsContainerImage: 'extensions' }

const rows = sizes.map((count) => {
  const all = Array.from({ length: count }, (_, i) => machineConfig(i, 'first'))
  const run = (
    machineConfigs: readonly MachineConfig[],
    cache: InputCache,
    renderer: Renderer,
  ): string => {
    const inputs = inMergeOrder(machineConfigs).map((one) => cache.get(one))
    return renderer.render('worker', inputs, images).name
  }
  const first = costOf(10, () => run(all, new InputCache(), new Renderer()))

  collect()
  const before = process.memoryUsage().heapUsed
  const [cache, renderer] = [new InputCache(), new Renderer()]
  const name = run(all, cache, renderer)
  collect()
  const kept = process.memoryUsage().heapUsed - before

  const configs = all.map((one) => cache.get(one).config)
  let round = 0
  const changed = costOf(20, () => {
    round++
    const next = all.map((one, i) => (i === 7 ? machineConfig(7, `round ${round}`) : one))
    if (run(next, cache, renderer) === name) throw new Error('the change was not rendered')
  })
  const same = costOf(200, () => run(all, cache, renderer))
  return {
    configs: count,
    'first, ms': first.toFixed(1),
    'one changed, ms': changed.toFixed(1),
    'nothing changed, ms': same.toFixed(2),
    'merge alone, ms': costOf(100, () => mergeForNodes(configs)).toFixed(2),
    'first, ms per config': (first / count).toFixed(3),
    'kept, MB': (kept / 1_000_000).toFixed(1),
  }
})
if (process.argv.slice(2).join(' ') === '-o json') console.log(JSON.stringify(rows, null, 2))
else printTable('render: MachineConfigs of 10 files of 1.5 kB', rows)

function machineConfig(set: number, text: string): MachineConfig {
  const source = base64Source(`${set} ${text} ${'x'.repeat(1500)}`)
  const files = Array.from({ length: 10 }, (_, i) => ({
    path: `/etc/set-${set}/file-${i}`,
    mode: 420,
    contents: { source },
  }))
  return {
    metadata: {
      name: `${String(set).padStart(4, '0')}-bench`,
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
    },
    spec: { config: { ignition: { version: '3.2.0' }, storage: { files } } },
  }
}

/** CPU time of one run in all threads after a warm-up: wall-clock time is unreliable on a shared machine. */
function costOf(times: number, run: () => unknown): number {
  for (let i = 0; i < 3; i++) run()
  collect()
  const before = process.cpuUsage()
  for (let i = 0; i < times; i++) run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / times
}

/** Twice: the second collection frees objects that the first one finalized. */
function collect(): void {
  for (let i = 0; i < 2; i++) globalThis.gc?.()
}
