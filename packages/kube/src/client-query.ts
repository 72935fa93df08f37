import type { ListOptions, WatchOptions } from './list-watch.ts'
import type { Query } from './transport.ts'

export function listQuery(options: ListOptions): Query {
  const { labels, fields, limit, resourceVersion, resourceVersionMatch } = options
  return {
    labelSelector: labels,
    fieldSelector: fields,
    limit,
    continue: options.continue,
    // A continue token holds its version; a server refuses to be told both.
    ...(options.continue === undefined ? { resourceVersion, resourceVersionMatch } : {}),
  }
}

export function watchQuery(options: WatchOptions): Query {
  return {
    watch: true,
    labelSelector: options.labels,
    fieldSelector: options.fields,
    resourceVersion: options.resourceVersion,
    allowWatchBookmarks: options.bookmarks ? true : undefined,
    timeoutSeconds: options.timeoutSeconds,
  }
}
