import type { ListOptions, WatchOptions } from '../list-watch.ts'
import type { QueryParameters } from '../transport/transport.ts'

export function listQuery(options: ListOptions): QueryParameters {
  const { labels, fields, limit, resourceVersion, resourceVersionMatch } = options
  return {
    labelSelector: labels,
    fieldSelector: fields,
    limit,
    continue: options.continue,
    // A continue token contains its version: servers reject a request with both.
    ...(options.continue === undefined ? { resourceVersion, resourceVersionMatch } : {}),
  }
}

export function watchQuery(options: WatchOptions): QueryParameters {
  return {
    watch: true,
    labelSelector: options.labels,
    fieldSelector: options.fields,
    resourceVersion: options.resourceVersion,
    allowWatchBookmarks: options.bookmarks ? true : undefined,
    timeoutSeconds: options.timeoutSeconds,
  }
}
