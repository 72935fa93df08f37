import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { connect as connectTcp } from 'node:net'
import { connect } from 'node:tls'
import { expect, it } from 'vitest'
import { getOverTls } from '@machinist/testing/servers/get-over-tls'
import { until } from '@machinist/testing/until'
import type { ServerProcess } from './server-process.ts'
import { startServerCluster } from './server-process.ts'

/** Most megabytes of memory that the process ever had. */
function peakOf({ child }: ServerProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}

const metric = async ({ pages }: ServerProcess, line: RegExp): Promise<boolean> =>
  line.test(await (await fetch(new URL('/metrics', pages))).text())

function address({ url }: ServerProcess): { host: string; port: number } {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port) }
}

/** A config of 1.4 MB, nearly the limit of etcd, which is served as 3 MB. */
const large = {
  config: {
    ignition: { version: '3.5.0' },
    storage: {
      files: [{ path: '/large', contents: { source: `data:,${'a'.repeat(1_400_000)}` } }],
    },
  },
}

it(
  'clients that do not read their config, and thousands that send nothing, need little memory',
  { timeout: 120_000 },
  async () => {
    await using cluster = await startServerCluster(large)
    const server = await cluster.start('server', '--open')
    const { length } = (await getOverTls(`${server.url}/config/worker`)).text
    expect(length).toBeGreaterThan(2_700_000)
    const before = peakOf(server)
    const sockets: Socket[] = []
    // A whole config for each of them would be more than a gigabyte.
    for (let i = 0; i < 400; i++) {
      const socket = connect({ ...address(server), rejectUnauthorized: false })
      socket.on('error', () => {})
      socket.pause()
      socket.write('GET /config/worker HTTP/1.1\r\nHost: x\r\n\r\n')
      sockets.push(socket)
    }
    await until('all get a config', () =>
      metric(server, /^machinist_server_configs_served_total\{.*\} 401$/m),
    )
    expect(peakOf(server) - before).toBeLessThan(150)
    for (let i = 0; i < 4500; i++) {
      const socket = connectTcp(address(server))
      socket.on('error', () => {})
      sockets.push(socket)
    }
    await until('there are more than it accepts', () =>
      metric(
        server,
        /^machinist_server_connections_closed_total\{reason="too many connections"\} /m,
      ),
    )
    expect((await getOverTls(`${server.url}/config/worker`)).code).toBe(200)
    expect(peakOf(server) - before).toBeLessThan(400)
    for (const socket of sockets) socket.destroy()
  },
)
