import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'

interface Got {
  readonly code: number
  readonly text: string
  /** The name in the certificate. */
  readonly shown: string
}

/** What a server answers, whoever vouches for it. */
export function getSecurely(url: string, token?: string): Promise<Got> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, rejectUnauthorized: false, agent: false }, (answer) => {
      const shown = (answer.socket as TLSSocket).getPeerCertificate().subject.CN as string
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += String(chunk)))
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, text, shown }))
    })
    asked.on('error', reject)
    asked.end()
  })
}
