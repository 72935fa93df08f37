import { once } from 'node:events'
import { expect, it } from 'vitest'
import { getOverTls } from '@machinist/testing/servers/get-over-tls'
import { until } from '@machinist/testing/until'
import { machineConfigurations } from '../../../src/api/kinds/resources.ts'
import { startServerCluster } from '../server/server-process.ts'

it(
  'machinist server serves configs with --open only, reports that it is open, exposes metrics, and ends cleanly',
  { timeout: 60_000 },
  async () => {
    await using cluster = await startServerCluster()
    const { client } = cluster
    await client.create(machineConfigurations, { metadata: { name: 'cluster' }, spec: {} })
    const closed = await cluster.start('closed')
    expect((await getOverTls(`${closed.url}/healthz`)).code).toBe(200)
    expect((await getOverTls(`${closed.url}/config/worker`)).code).toBe(401)

    const open = await cluster.start('open', '--open')
    const { code, text, commonName } = await getOverTls(`${open.url}/config/worker`)
    expect([code, commonName]).toEqual([200, 'loopback server'])
    expect(JSON.parse(text)).toMatchObject({ ignition: { version: '2.2.0' } })
    await until('the condition is set', async () => {
      const { status } = await client.get(machineConfigurations, { name: 'cluster' })
      const found = status?.conditions?.find(({ type }) => type === 'machinist.dev/ServerOpen')
      return found?.status === 'True'
    })
    const metrics = await (await fetch(new URL('/metrics', open.pages))).text()
    expect(metrics).toContain(
      'machinist_server_configs_served_total{pool="worker",version="2.2.0"} 1\n',
    )
    expect(metrics).toMatch(/^machinist_server_credential_expiry_timestamp_seconds \d{10}$/m)

    open.child.kill('SIGTERM')
    await once(open.child, 'exit')
    expect(open.child.exitCode).toBe(0)
  },
)
