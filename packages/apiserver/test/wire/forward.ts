import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ClusterAddress } from '@machinist/testing/clusters/start-cluster'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Answered {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: Buffer
}

/** Forwards a request to the cluster as its administrator. */
export async function forward(cluster: ClusterAddress, requested: Asked): Promise<Answered> {
  const headers: OutgoingHttpHeaders = {
    ...requested.headers,
    authorization: `Bearer ${cluster.token}`,
  }
  for (const name of ['accept-encoding', 'content-length', 'host']) delete headers[name]
  const options = {
    ca: readFileSync(cluster.caFile),
    method: requested.method,
    headers,
    agent: false,
  }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(`${cluster.server}${requested.path}`, options, resolve)
    sent.on('error', reject)
    sent.end(requested.body)
  })
  return { status: answer.statusCode!, headers: answer.headers, body: await bytesOf(answer) }
}

export interface ForwardingServer extends AsyncDisposable {
  readonly url: string
}

/** A plain HTTP server on a loopback address that answers with whole bodies. */
export async function serveForwarding(
  answer: (requested: Asked) => Promise<Answered>,
): Promise<ForwardingServer> {
  const server = createServer((incoming, outgoing) => {
    const respond = async (): Promise<void> => {
      const { method = 'GET', url = '/', headers } = incoming
      const body = await bytesOf(incoming)
      const answered = await answer({ method, path: url, headers, body })
      outgoing.writeHead(answered.status, answered.headers).end(answered.body)
    }
    respond().catch((error: unknown) => outgoing.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
