import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Cancel } from '@machinist/core/clock'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { Guard } from './page-guard.ts'

export interface Address {
  /** Empty for every address of the machine. */
  readonly host: string
  readonly port: number
}

/** What a path answers: a text, or why not. */
export type Page = () => string | { readonly unwell: string }

export interface Served {
  /** Without a path. */
  readonly url: string
  readonly stop: () => Promise<void>
}

type Answer = readonly [code: number, text: string]

/** Far more than those who look after a cluster have. */
const mostConnections = 100
/** Over one connection, answered or not. */
const mostRequests = 20

/**
 * Serves a few small pages: health and metrics. `what` is how a complaint about the address calls them. With a guard it is
 * over TLS, and pages that are not for everybody are for those whom it lets.
 */
export async function servePages(
  pages: Readonly<Record<string, Page>>,
  { host, port }: Address,
  what: string,
  guard?: Guard,
): Promise<Served> {
  const { server, stopRenewing } = createServer(guard)
  letLatestIn(server)
  server.maxRequestsPerSocket = mostRequests
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    const page = request.method === 'GET' && Object.hasOwn(pages, path) ? pages[path] : undefined
    const [code, text] = await answerTo(path, page, request, guard)
    const type = 'text/plain; version=0.0.4; charset=utf-8'
    response.writeHead(code, { 'content-type': type }).end(text)
  }
  server.on('request', (request, response) => void answer(request, response))
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

/** The oldest goes when there are too many: one who holds them all must not make us look dead to our kubelet. */
function letLatestIn(server: Server): void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size <= mostConnections) return
    const [oldest] = open
    open.delete(oldest!)
    oldest?.destroy()
  })
}

function createServer(guard: Guard | undefined): { server: Server; stopRenewing: Cancel } {
  if (guard) {
    const server = process.getBuiltinModule('node:https').createServer(guard.identity)
    return { server, stopRenewing: guard.renewing((identity) => server.setSecureContext(identity)) }
  }
  // An import of node:http costs 15 MB: it looks at everything that is only loaded when somebody looks.
  return { server: process.getBuiltinModule('node:http').createServer(), stopRenewing: () => {} }
}

async function answerTo(
  path: string,
  page: Page | undefined,
  request: IncomingMessage,
  guard: Guard | undefined,
): Promise<Answer> {
  if (!page) return [404, 'not found\n']
  const { headers, socket } = request
  const refusal = await guard?.refuses(path, headers.authorization, socket.remoteAddress ?? '')
  if (refusal) return refusal
  const answer = page()
  return typeof answer === 'string' ? [200, answer] : [503, `${answer.unwell}\n`]
}
