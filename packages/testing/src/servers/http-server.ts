import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'

export interface TestServer extends AsyncDisposable {
  readonly url: string
  /** Number of accepted connections. */
  readonly accepted: number
  /** Number of open connections. */
  readonly open: number
  /** Sets the TLS options of new connections. */
  present(tls: TlsOptions): void
}

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** Starts an HTTP server on the loopback address; HTTPS with `tls`. */
export async function serve(handler: Handler, tls?: TlsOptions): Promise<TestServer> {
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => handler(request, response, Buffer.concat(chunks).toString('utf8')))
  }
  const secure = tls ? createTlsServer(tls, listener) : undefined
  const server = secure ?? createServer(listener)
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on('connection', (socket) => {
    accepted++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    get accepted() {
      return accepted
    },
    get open() {
      return sockets.size
    },
    present: (next) => secure?.setSecureContext(next),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function answer(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
