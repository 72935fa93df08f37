import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { nodes } from '@machinist/kube/kinds/core'
import { until } from '@machinist/testing/until'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import type { ControllersOptions } from '../../../src/controllers/run-controllers.ts'
import { runControllers } from '../../../src/controllers/run-controllers.ts'
import type { Api } from '../daemon/cluster/api.ts'
import { startApi } from '../daemon/cluster/api.ts'
import { controllerConfig, machineConfig, motd, pool } from './support/cluster-objects.ts'
import { target } from './support/machine-configs.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
}, 60_000)
afterAll(() => api.stop())

/** Runs the controllers until the work is done, as one leader does. */
async function term(metrics: Metrics, work: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const ready = Promise.withResolvers<void>()
  const options: ControllersOptions = {
    client: api.client,
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    metrics,
    maker: { version: '1.2.3', build: 'machinist-1' },
    renderWindowMs: 0,
    rolloutBatchMs: 5,
    ready: ready.resolve,
  }
  const ended = runControllers(options, stop.signal)
  await ready.promise
  await work()
  stop.abort()
  await ended
}

describe('all controllers in one process', { timeout: 60_000 }, () => {
  it('work on the same cluster, one leader after the other', async () => {
    const { client } = api
    const metrics = new Metrics()
    await controllerConfig(client)
    await pool(client, 'worker', ['worker'])
    await machineConfig(client, '00-worker', 'worker', motd('one'))
    let first = ''
    await term(metrics, async () => {
      await until('a config is rendered', async () => {
        first = (await target(client, 'worker')) ?? ''
        return first !== ''
      })
      await until('render and rollout have set their conditions', async () => {
        const { status } = await client.get(machineConfigPools, { name: 'worker' })
        const types = new Set(status?.conditions?.map(({ type }) => type))
        return types.has('RenderDegraded') && types.has('Updated')
      })
    })
    expect(first).toMatch(/^rendered-worker-[0-9a-f]{32}$/)
    await machineConfig(client, '50-worker', 'worker', motd('two'))
    await term(metrics, async () => {
      await until('another config is rendered', async () => {
        return (await target(client, 'worker')) !== first
      })
      await client.create(nodes, { metadata: { name: 'drained', annotations: requesting } })
      await until('the drain is acknowledged', async () => {
        const { metadata } = await client.get(nodes, { name: 'drained' })
        return metadata.annotations?.[`${domain}/lastAppliedDrain`] === 'drain-x'
      })
    })
    const text = metrics.text()
    expect(text).toContain('workqueue_adds_total{name="drain"')
    // Gauges are removed when the controllers stop.
    expect(text).not.toMatch(/^(mco_machine_count|workqueue_depth|machinist_informer_objects)\{/m)
  })
})

const domain = 'machineconfiguration.openshift.io'
const requesting = {
  [`${domain}/currentConfig`]: 'w',
  [`${domain}/desiredConfig`]: 'x',
  [`${domain}/desiredDrain`]: 'drain-x',
}
