import { Refusal } from '../refusal.ts'
import type { Scope } from '../watch/scope.ts'
import type { View } from '../watch/view.ts'
import type { WatchCache } from '../watch/watch-cache.ts'
import type { WatchQuery } from '../watch/list-options.ts'
import type { Answer } from './answer.ts'

/** One watch on its way to one client. */
export interface WatchAnswer {
  readonly cache: WatchCache
  readonly scope: Scope
  readonly query: WatchQuery
  readonly view: View
  readonly stopping: AbortSignal
}

/** One JSON object per line until the time is up, the client has gone or the server stops. Waits for slow readers. */
export async function answerWatch(answer: Answer, asked: WatchAnswer): Promise<void> {
  const { response } = answer
  refuseMarkedTables(asked)
  const begin = (): void => {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'application/json' })
  }
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      response.end()
      resolve()
    }
    const sink = {
      write(line: Buffer): boolean {
        begin()
        return response.write(line)
      },
      end(): void {
        begin()
        finish()
      },
      drop(): void {
        response.destroy()
      },
    }
    try {
      const watch = asked.cache.watch(asked.scope, asked.query, asked.view, sink)
      const leave = (): void => {
        asked.stopping.removeEventListener('abort', leave)
        watch.stop()
        finish()
      }
      response.on('drain', () => watch.resume())
      response.on('close', leave)
      asked.stopping.addEventListener('abort', leave)
      begin()
      response.flushHeaders()
    } catch (error) {
      reject(error)
    }
  })
}

/** A table has no place for the mark that ends the initial events. Views that have a `first` are tables. */
function refuseMarkedTables({ view, query }: WatchAnswer): void {
  if (!view.first || !query.sendInitialEvents || !query.allowWatchBookmarks) return
  throw new Refusal(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  )
}
