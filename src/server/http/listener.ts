import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket, TlsOptions, Server as TlsServer } from 'node:tls'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import { sleep } from '@machinist/core/clock'
import type { KeyPair } from '@machinist/kube/connection/material'
import type { Connections } from './connections.ts'
import { clientAddress } from './connections.ts'
import type { HandlerParts } from './handler.ts'
import { requestHandler } from './handler.ts'
import type { HttpLimits } from './limits.ts'
import type { ServerReport } from './server-report.ts'

export interface ListenAddress {
  /** Empty for all addresses of the machine. */
  readonly host: string
  readonly port: number
}

export interface Listener {
  /** Without a path. */
  readonly url: string
  /** Presents this certificate in new handshakes; open connections continue. */
  present(pair: KeyPair): void
  /** Lets responses in progress finish, within a limit. */
  stop(): Promise<void>
}

export interface ListenerParts extends HandlerParts {
  /** Shared by all listeners. */
  readonly connections: Connections
}

/** Serves configs at an address: with TLS if there is a certificate. */
export async function listen(
  parts: ListenerParts,
  { host, port }: ListenAddress,
  pair?: KeyPair,
): Promise<Listener> {
  const { limits, connections, report, clock, log } = parts
  const handle = requestHandler(parts, pair !== undefined)
  let isStopping = false
  const accept = (request: IncomingMessage, response: ServerResponse): void => {
    const ended = connections.begin(request.socket)
    const answered = report.begin()
    response.once('close', () => {
      ended()
      answered(response.statusCode)
      if (isStopping) request.socket.destroySoon()
    })
    handle(request, response)
  }
  const server = createServer(limits, pair)
  server.maxRequestsPerSocket = limits.maxRequestsPerConnection
  connections.follow(server)
  server.on('connection', (socket: Socket) => {
    report.connections(connections.size)
    socket.once('close', () => report.connections(connections.size))
  })
  server.on('request', accept)
  // A body is never read, so the client must not send it.
  server.on('checkContinue', accept)
  reportBadClients(server, report)
  // A rack of machines connects at once; the kernel may lower the number.
  server.listen({ port, host, backlog: limits.maxConnections })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new InvalidInput(`cannot listen at ${host}:${port}: ${messageOf(error)}`)
  }
  // For example no free file descriptor: open connections continue.
  server.on('error', (error) => log.error('cannot accept connections', error))
  const { port: actual } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host || 'localhost'
  return {
    url: `${pair ? 'https' : 'http'}://${shown}:${actual}`,
    present: (next) => server.setSecureContext?.(tlsOptions(limits, next)),
    async stop() {
      isStopping = true
      const closed = once(server, 'close')
      server.close()
      await Promise.race([closed, sleep(clock, limits.stopMs)])
      server.closeAllConnections()
      await closed
    },
  }
}

type AnyServer = Server & Partial<Pick<TlsServer, 'setSecureContext'>>

function createServer(limits: HttpLimits, pair: KeyPair | undefined): AnyServer {
  const options = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
  }
  // Not imported: an import loads everything that the modules contain.
  return pair
    ? process
        .getBuiltinModule('node:https')
        .createServer({ ...options, ...tlsOptions(limits, pair) })
    : process.getBuiltinModule('node:http').createServer(options)
}

function tlsOptions({ handshakeMs }: HttpLimits, { cert, key }: KeyPair): TlsOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: handshakeMs,
  }
}

function reportBadClients(server: Server, report: ServerReport): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { code = '' } = error
    const address = clientAddress(socket)
    // A client that disconnects is no problem.
    if (code === 'ECONNRESET' || code === 'EPIPE' || !socket.writable) {
      socket.destroy()
      return
    }
    report.closed(code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'slow request' : 'bad request', address)
    const status = statusOf(code)
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    socket.destroySoon()
  })
  server.on('tlsClientError', (_: Error, socket: TLSSocket) => {
    report.closed('TLS failure', clientAddress(socket))
    socket.destroy()
  })
}

function statusOf(code: string): string {
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout'
  return '400 Bad Request'
}
