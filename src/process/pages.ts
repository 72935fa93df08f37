import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Cancel } from '@machinist/core/clock'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { PageGuard } from './page-guard.ts'

export interface Address {
  /** Empty for all addresses of the machine. */
  readonly host: string
  readonly port: number
}

/** The response of a path: a text, or the reason why the component is not ready. */
export type Page = () => string | { readonly notReady: string }

export interface ServedPages {
  /** Without a path. */
  readonly url: string
  readonly stop: () => Promise<void>
}

type PageResponse = readonly [code: number, text: string]

/** Far more than probes and Prometheus need. */
const maxConnections = 100
/** Requests per connection. */
const maxRequests = 20

/**
 * Serves a few small pages: health and metrics. `what` names them in an error message. With a guard the server uses TLS, and the
 * guard decides about each request.
 */
export async function servePages(
  pages: Readonly<Record<string, Page>>,
  { host, port }: Address,
  what: string,
  guard?: PageGuard,
): Promise<ServedPages> {
  const { server, stopRenewing } = createServer(guard)
  limitConnections(server)
  server.maxRequestsPerSocket = maxRequests
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    const page = request.method === 'GET' && Object.hasOwn(pages, path) ? pages[path] : undefined
    const [code, text] = await responseTo(path, page, request, guard)
    const type = 'text/plain; version=0.0.4; charset=utf-8'
    response.writeHead(code, { 'content-type': type }).end(text)
  }
  server.on('request', (request, response) => void respond(request, response))
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    stopRenewing()
    throw new InvalidInput(`cannot serve ${what} at ${host}:${port}: ${messageOf(error)}`)
  }
  const { port: taken } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host || 'localhost'
  return {
    url: `${guard ? 'https' : 'http'}://${shown}:${taken}`,
    stop: async () => {
      stopRenewing()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Closes the oldest connection if there are too many: a client that holds all of them must not block the kubelet's probes. */
function limitConnections(server: Server): void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size <= maxConnections) return
    const [oldest] = open
    open.delete(oldest!)
    oldest?.destroy()
  })
}

function createServer(guard: PageGuard | undefined): { server: Server; stopRenewing: Cancel } {
  if (guard) {
    const server = process.getBuiltinModule('node:https').createServer(guard.identity)
    return {
      server,
      stopRenewing: guard.onRenewal((identity) => server.setSecureContext(identity)),
    }
  }
  // An import of node:http costs 15 MB, because it triggers all lazy getters of the module.
  return { server: process.getBuiltinModule('node:http').createServer(), stopRenewing: () => {} }
}

async function responseTo(
  path: string,
  page: Page | undefined,
  request: IncomingMessage,
  guard: PageGuard | undefined,
): Promise<PageResponse> {
  if (!page) return [404, 'not found\n']
  const { headers, socket } = request
  const rejected = await guard?.rejection(path, headers.authorization, socket.remoteAddress ?? '')
  if (rejected) return rejected
  const content = page()
  return typeof content === 'string' ? [200, content] : [503, `${content.notReady}\n`]
}
