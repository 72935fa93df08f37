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
export function answerWatch(answer: Answer, asked: WatchAnswer): Promise<void> {
  const { response } = answer
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
