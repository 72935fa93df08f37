import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { InvalidInput, messageOf } from '../../base/errors.ts'
import type { Metrics } from '../../base/metrics.ts'

export interface Served {
  readonly url: string
  stop(): Promise<void>
}

/** Serves `/metrics` as Prometheus reads it, and `/healthz`. */
export async function serveMetrics(
  metrics: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Served> {
  // An import of node:http costs 15 MB: it looks at everything that is only loaded when somebody looks.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer((request, response) => {
    const pages: Readonly<Record<string, () => string>> = {
      '/metrics': () => metrics.text(),
      '/healthz': () => 'ok\n',
    }
    const page = request.method === 'GET' ? pages[request.url ?? ''] : undefined
    const type = 'text/plain; version=0.0.4; charset=utf-8'
    response.writeHead(page ? 200 : 404, { 'content-type': type }).end(page?.() ?? 'not found\n')
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new InvalidInput(`cannot serve metrics at ${host}:${port}: ${messageOf(error)}`)
  }
  const { port: taken } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shown}:${taken}/metrics`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
