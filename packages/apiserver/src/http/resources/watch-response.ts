import { StatusError } from '../../status/status-error.ts'
import type { Scope } from '../../watch/scope.ts'
import type { WatchView } from '../../watch/view.ts'
import type { WatchCache } from '../../watch/watch-cache.ts'
import type { WatchQuery } from '../../watch/list-options.ts'
import type { ApiResponse } from '../messages/response.ts'

/** A watch for one client. */
export interface WatchRequest {
  readonly cache: WatchCache
  readonly scope: Scope
  readonly query: WatchQuery
  readonly view: WatchView
  readonly stopping: AbortSignal
}

/** Writes one JSON object per line until timeout, disconnect or shutdown. Waits for slow readers. */
export async function serveWatch(answer: ApiResponse, watchRequest: WatchRequest): Promise<void> {
  const { response } = answer
  rejectTableBookmarks(watchRequest)
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
      const watch = watchRequest.cache.watch(
        watchRequest.scope,
        watchRequest.query,
        watchRequest.view,
        sink,
      )
      const leave = (): void => {
        watchRequest.stopping.removeEventListener('abort', leave)
        watch.stop()
        finish()
      }
      response.on('drain', () => watch.resume())
      response.on('close', leave)
      watchRequest.stopping.addEventListener('abort', leave)
      begin()
      response.flushHeaders()
    } catch (error) {
      reject(error)
    }
  })
}

/** Tables cannot carry the bookmark that ends the initial events. Views with a `first` view are tables. */
function rejectTableBookmarks({ view, query }: WatchRequest): void {
  if (!view.first || !query.sendInitialEvents || !query.allowWatchBookmarks) return
  throw new StatusError(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  )
}
