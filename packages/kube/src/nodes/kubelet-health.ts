import { InvalidInput } from '@machinist/core/errors'

/** A kubelet responds with `ok`; longer bodies are truncated. */
const maxBodyBytes = 4096

/** Returns a health check of the local kubelet. It resolves with the response body, and rejects if the kubelet is unhealthy. */
export function kubeletHealthCheck(endpoint: string): (signal: AbortSignal) => Promise<string> {
  const url = parseEndpoint(endpoint)
  return (signal) =>
    new Promise((resolve, reject) => {
      // Through getBuiltinModule: an ESM import of node:http costs 15 MB of memory on every node.
      const { get } = process.getBuiltinModule('node:http')
      // No agent: a kept-alive connection would hide that the kubelet no longer listens.
      const request = get(url, { signal, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text = (text + chunk).slice(0, maxBodyBytes)
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode } = response
          if (statusCode === 200) resolve(text)
          else reject(new Error(`the kubelet returns ${statusCode} at ${endpoint}`))
        })
      })
      request.on('error', reject)
    })
}

function parseEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.protocol === 'http:') return url
  throw new InvalidInput(
    `${JSON.stringify(endpoint)} is not a kubelet health endpoint: use http://HOST:PORT/PATH`,
  )
}
