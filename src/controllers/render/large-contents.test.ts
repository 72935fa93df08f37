import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { RefusingServer } from '@machinist/testing/servers/refusing-server'
import { messageOf } from '@machinist/core/errors'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { configOf, fileWith, ignition } from '../../fleet/render/render-inputs.fixture.ts'
import { stillCache } from '../still-cache.fixture.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import type { RenderCaches } from './caches.ts'
import { renderController } from './render.ts'

const version = '1.2.3'
const role = 'machineconfiguration.openshift.io/role'
const pool: MachineConfigPool = {
  metadata: { name: 'worker', uid: 'u', resourceVersion: '7' },
  spec: {
    machineConfigSelector: { matchLabels: { [role]: 'worker' } },
    configuration: { name: 'rendered-worker-before' },
  },
}
const controllerConfig: Omit<ControllerConfig, 'spec'> & { spec: object } = {
  metadata: {
    name: 'machine-config-controller',
    generation: 1,
    annotations: { 'machineconfiguration.openshift.io/generated-by-version': version },
  },
  spec: {},
  status: {
    observedGeneration: 1,
    conditions: [{ type: 'TemplateControllerCompleted', status: 'True' }],
  },
}
const before = configOf('rendered-worker-before', fileWith('/etc/a', 'a'), 'none')
const context = { log: silentLogger, signal: new AbortController().signal, retries: 0 }

/** Large files that no other test uses: a process unpacks the same contents only once. */
function packedFiles(count: number, megabytes: number): MachineConfig {
  const files = Array.from({ length: count }, (_, i) => {
    const text = `file ${i} of the test of large contents\n`
    const packed = gzipSync(Buffer.alloc(megabytes * 1024 * 1024, text), { level: 1 })
    const source = `data:;base64,${packed.toString('base64')}`
    return { path: `/opt/image-${i}`, contents: { source, compression: 'gzip' } }
  })
  return configOf('50-large', ignition({ storage: { files } }))
}

/** Reconciles, and counts the turns of the event loop meanwhile. */
async function reconciled(
  machineConfig: MachineConfig,
): Promise<{ server: RefusingServer; thrown: string; turns: number }> {
  const server = new RefusingServer(pool, 403, 'Forbidden')
  const clock = new VirtualClock()
  const tools = {
    client: new KubeClient({ transport: server, clock, random: { next: () => 0 } }),
    random: seededRandom(7),
    log: silentLogger,
    events: { normal: () => undefined, warning: () => undefined },
    metrics: new Metrics(),
    clock,
  }
  const caches: RenderCaches = {
    pools: stillCache(pool),
    machineConfigs: stillCache(machineConfig, before),
    controllerConfigs: stillCache(controllerConfig as ControllerConfig),
    kubeletConfigs: stillCache(),
    containerRuntimeConfigs: stillCache(),
    machineConfigurations: stillCache(),
    nodes: stillCache(),
    machineConfigNodes: stillCache(),
  }
  const controller = renderController(tools, caches, { maker: { version, build: 'b' } })
  let turns = 0
  let isDone = false
  const turn = (): void => {
    turns++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const thrown = await controller.reconcile('worker', context).then(String, messageOf)
  isDone = true
  return { server, thrown, turns }
}

it('rejects a config whose files unpack to more than 64 MiB, without blocking the event loop', async () => {
  const { server, thrown, turns } = await reconciled(packedFiles(5, 24))
  const why =
    'the compressed files of the rendered config unpack to more than 64 MiB: /opt/image-0 (24 MiB, from MachineConfig 50-large); /opt/image-1 (24 MiB, from MachineConfig 50-large); /opt/image-2 (24 MiB, from MachineConfig 50-large). Make them smaller, or ship them in the OS image'
  expect(thrown).toBe(why)
  const { status } = server.statuses.at(-1) as MachineConfigPool
  expect(status?.conditions?.find(({ type }) => type === 'RenderDegraded')).toMatchObject({
    status: 'True',
    reason: 'TooLarge',
    message: `Failed to render configuration for pool worker: ${why}`,
  })
  expect(server.refused).toEqual([])
  expect(turns).toBeGreaterThanOrEqual(3)
})

it('renders a config whose files unpack to less, one file per turn of the event loop', async () => {
  const { server, turns } = await reconciled(packedFiles(3, 20))
  expect(server.refused.map(({ metadata }) => metadata.name)).toEqual([
    expect.stringMatching(/^rendered-worker-/),
  ])
  expect(turns).toBeGreaterThanOrEqual(3)
})
