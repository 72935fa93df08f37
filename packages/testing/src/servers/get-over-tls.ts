import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'

interface TlsResponse {
  readonly code: number
  readonly text: string
  /** The common name of the server certificate. */
  readonly commonName: string
}

/** Sends a GET request without verifying the server certificate. */
export function getOverTls(url: string, token?: string): Promise<TlsResponse> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const options = { headers, rejectUnauthorized: false, agent: false }
    const outgoing = request(url, options, (response) => {
      const { subject } = (response.socket as TLSSocket).getPeerCertificate()
      const commonName = subject.CN as string
      let text = ''
      response.on('data', (chunk: Buffer) => (text += String(chunk)))
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text, commonName }))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
