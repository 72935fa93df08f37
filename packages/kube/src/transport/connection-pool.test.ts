import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { answer, serve } from '@machinist/testing/servers/http-server'
import type { TlsMaterial } from '../connection/connection.ts'
import { fixedConnection } from '../connection/connection.ts'
import { HttpTransport } from './http-transport.ts'
import { parseJsonBody } from './transport.ts'

const authority = createAuthority('servers')
const serverPair = authority.issueServer()
const serving = { cert: serverPair.certificate, key: serverPair.key }
const request = { method: 'GET', path: '/x' } as const

async function requestWith(
  tls: TlsMaterial,
  edit: (url: string) => string = (url) => url,
): Promise<unknown> {
  await using server = await serve((request, response) => {
    const { servername } = request.socket as TLSSocket
    answer(response, 200, { url: request.url, servername })
  }, serving)
  const connection = fixedConnection({ server: edit(server.url), tls, headers: {} })
  const transport = new HttpTransport({ connection, clock: systemClock })
  try {
    return parseJsonBody(request, await transport.request(request))
  } catch (error) {
    return (error as Error).message.replace(/:\d+/, '')
  }
}

describe('a TLS connection', () => {
  const ca = authority.certificate

  it('succeeds if the CA signed the server certificate', async () => {
    expect(await requestWith({ ca })).toEqual({ url: '/x', servername: false })
    expect(await requestWith({ ca }, (url) => url.replace('127.0.0.1', 'localhost'))).toEqual({
      url: '/x',
      servername: 'localhost',
    })
  })

  it('fails for other certificates and names', async () => {
    expect(await requestWith({ ca: createAuthority('others').certificate })).toMatch(
      /^GET \/x: TLS handshake with 127\.0\.0\.1 failed: unable to verify the first certificate/,
    )
    expect(await requestWith({ ca, serverName: 'elsewhere.example.com' })).toMatch(
      /ERR_TLS_CERT_ALTNAME_INVALID/,
    )
  })

  it('can require another server name', async () => {
    expect(await requestWith({ ca, serverName: 'localhost' })).toEqual({
      url: '/x',
      servername: 'localhost',
    })
  })

  it('succeeds for every server without verification', async () => {
    expect(await requestWith({ insecure: true })).toEqual({ url: '/x', servername: false })
  })

  it('supports a path prefix', async () => {
    expect(await requestWith({ ca }, (url) => `${url}/k8s/clusters/c-1/`)).toMatchObject({
      url: '/k8s/clusters/c-1/x',
    })
  })

  it('fails with a message if the server does not use TLS', async () => {
    await using server = await serve((_, response) => response.end())
    const connection = fixedConnection({
      server: server.url.replace('http:', 'https:'),
      tls: { ca },
      headers: {},
    })
    const transport = new HttpTransport({ connection, clock: systemClock })
    await expect(transport.request(request)).rejects.toThrow(
      /^GET \/x: TLS handshake with 127\.0\.0\.1:\d+ failed: /,
    )
  })
})
