import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { InvalidInput, messageOf } from '../base/errors.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

/** What a path answers: a text, or why not. */
export type Page = () => string | { readonly unwell: string }

export interface Served {
  /** Without a path. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Serves a few small pages over HTTP: health and metrics. `what` is how a complaint about the address calls them. */
export async function servePages(
  pages: Readonly<Record<string, Page>>,
  { host, port }: Address,
  what: string,
): Promise<Served> {
  // An import of node:http costs 15 MB: it looks at everything that is only loaded when somebody looks.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    const page = request.method === 'GET' && Object.hasOwn(pages, path) ? pages[path] : undefined
    const answer = page?.()
    const [code, text] =
      answer === undefined
        ? [404, 'not found\n']
        : typeof answer === 'string'
          ? [200, answer]
          : [503, `${answer.unwell}\n`]
    const type = 'text/plain; version=0.0.4; charset=utf-8'
    response.writeHead(code, { 'content-type': type }).end(text)
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new InvalidInput(`cannot serve ${what} at ${host}:${port}: ${messageOf(error)}`)
  }
  const { port: taken } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shown}:${taken}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
