import { InvalidInput } from '@machinist/core/errors'

/** A kubelet says `ok`. More than this is something else. */
const mostBytes = 4096

/** Asks the kubelet of this machine how it is: gives what it answers, rejects if it does not or is not well. */
export function askKubelet(endpoint: string): (signal: AbortSignal) => Promise<string> {
  const url = urlOf(endpoint)
  return (signal) =>
    new Promise((resolve, reject) => {
      // Through getBuiltinModule: an ESM import of node:http costs 15 MB of memory on every node.
      const { get } = process.getBuiltinModule('node:http')
      // No agent: a connection that is kept for half a minute would only hide that nobody listens any more.
      const request = get(url, { signal, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text = (text + chunk).slice(0, mostBytes)
        })
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode } = response
          if (statusCode === 200) resolve(text)
          else reject(new Error(`the kubelet answers ${statusCode} at ${endpoint}`))
        })
      })
      request.on('error', reject)
    })
}

function urlOf(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.protocol === 'http:') return url
  throw new InvalidInput(
    `${JSON.stringify(endpoint)} is not where a kubelet tells its health: say http://HOST:PORT/PATH`,
  )
}
