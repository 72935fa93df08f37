import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Agent } from 'node:https'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { MachinePointer } from './machine-pointer.ts'

export interface Presented {
  readonly token: string
  readonly address: string
  /** Keeps the connection for further requests. */
  readonly agent: Agent
}

export interface ConfigResponse {
  readonly code: number
  readonly body: string
  /** Why the machine does not trust the certificate of the server. */
  readonly distrust?: string
}

/** The request of a machine with this pointer config, to a server at this URL. */
export async function requestConfig(
  { hostname: host, port }: URL,
  pointer: MachinePointer,
  { token = pointer.token, address = '127.0.0.1', agent }: Partial<Presented> = {},
): Promise<ConfigResponse> {
  const { hostname: servername, pathname: path } = new URL(pointer.source)
  const sent = request({
    host,
    port,
    path,
    ...(agent && { agent }),
    localAddress: address,
    servername,
    ca: pointer.authorities,
    rejectUnauthorized: false,
    headers: {
      accept: 'application/vnd.coreos.ignition+json;version=3.4.0',
      authorization: `Bearer ${token}`,
    },
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  // Read before the end of the response, when the socket is released.
  const { authorizationError } = response.socket as TLSSocket
  const parts = await Array.fromAsync(response as AsyncIterable<Buffer>)
  return {
    code: response.statusCode ?? 0,
    body: Buffer.concat(parts).toString(),
    ...(authorizationError && { distrust: String(authorizationError) }),
  }
}
