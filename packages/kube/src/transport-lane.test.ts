import type { TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { createAuthority } from '@machinist/testing/tls'
import type { TlsMaterial } from './connection/connection.ts'
import { fixedConnection } from './connection/connection.ts'
import { answer, serve } from '@machinist/testing/http-server'
import { HttpTransport } from './transport-http.ts'
import { jsonOf } from './transport.ts'

const authority = createAuthority('servers')
const serverPair = authority.issueServer()
const serving = { cert: serverPair.certificate, key: serverPair.key }
const asked = { method: 'GET', path: '/x' } as const

async function asking(
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
    return jsonOf(asked, await transport.request(asked))
  } catch (error) {
    return (error as Error).message.replace(/:\d+/, '')
  }
}

describe('a TLS connection', () => {
  const ca = authority.certificate

  it('is made to a server that the CA vouches for', async () => {
    expect(await asking({ ca })).toEqual({ url: '/x', servername: false })
    expect(await asking({ ca }, (url) => url.replace('127.0.0.1', 'localhost'))).toEqual({
      url: '/x',
      servername: 'localhost',
    })
  })

  it('is not made to anybody else', async () => {
    expect(await asking({ ca: createAuthority('others').certificate })).toMatch(
      /^GET \/x: no TLS connection to 127\.0\.0\.1: unable to verify the first certificate/,
    )
    expect(await asking({ ca, serverName: 'elsewhere.example.com' })).toMatch(
      /ERR_TLS_CERT_ALTNAME_INVALID/,
    )
  })

  it('may expect another name than the address says', async () => {
    expect(await asking({ ca, serverName: 'localhost' })).toEqual({
      url: '/x',
      servername: 'localhost',
    })
  })

  it('is made to anybody when told not to check', async () => {
    expect(await asking({ insecure: true })).toEqual({ url: '/x', servername: false })
  })

  it('may have a path in front of everything', async () => {
    expect(await asking({ ca }, (url) => `${url}/k8s/clusters/c-1/`)).toMatchObject({
      url: '/k8s/clusters/c-1/x',
    })
  })

  it('to a server that does not speak TLS fails in words', async () => {
    await using server = await serve((_, response) => response.end())
    const connection = fixedConnection({
      server: server.url.replace('http:', 'https:'),
      tls: { ca },
      headers: {},
    })
    const transport = new HttpTransport({ connection, clock: systemClock })
    await expect(transport.request(asked)).rejects.toThrow(
      /^GET \/x: no TLS connection to 127\.0\.0\.1:\d+: /,
    )
  })
})
