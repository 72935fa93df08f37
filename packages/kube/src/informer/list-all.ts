import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import { isExpired } from '../failure.ts'
import type { ListWatch, Page } from '../list-watch.ts'
import { withDeadline } from '../deadline.ts'

export interface Selection {
  readonly namespace?: string
  readonly labels?: string
  readonly fields?: string
}

export interface ListAllOptions<T extends KubeObject> {
  readonly source: ListWatch<T>
  readonly selection: Selection
  readonly clock: Clock
  /** Called for each object when its page arrives, so that at most one page of raw objects is in memory. */
  readonly admit: (object: T) => T
  readonly onPage: () => void
}

export interface ListResult<T extends KubeObject> {
  readonly objects: T[]
  readonly resourceVersion: string
}

const pageSize = 500
/** Longer than the request timeout of the API server. */
const pageTimeoutMs = 70_000

/**
 * Lists all selected objects as of one resourceVersion.
 *
 * It reads the newest state (no resourceVersion) in pages, not the server's watch cache ("0"): the cache may be older than
 * the local state, and it ignores the limit and returns the whole list in one response. The cost of a quorum read is small:
 * components watch few kinds, and daemons select one object by name.
 */
export async function listAll<T extends KubeObject>(
  options: ListAllOptions<T>,
  signal: AbortSignal,
): Promise<ListResult<T>> {
  try {
    return await listPages(options, pageSize, signal)
  } catch (error) {
    if (!(error instanceof ExpiredBetweenPages)) throw error
    // The list changes faster than its pages can be read: request it without a limit.
    return await listPages(options, undefined, signal)
  }
}

async function listPages<T extends KubeObject>(
  options: ListAllOptions<T>,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<ListResult<T>> {
  const objects: T[] = []
  const first = await listPage(options, limit, undefined, signal)
  for (let page = first; ;) {
    for (const item of page.items) objects.push(options.admit(item))
    options.onPage()
    const token = page.continue
    // All pages have the version of the first page. If they differ, the first version misses no event.
    if (!token) return { objects, resourceVersion: first.resourceVersion }
    page = await listPage(options, limit, token, signal)
    if (page.continue === token)
      throw new Error('the server returns the same page of a list repeatedly')
  }
}

async function listPage<T extends KubeObject>(
  { source, selection, clock }: ListAllOptions<T>,
  limit: number | undefined,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Page<T>> {
  const page = {
    ...(limit !== undefined && { limit }),
    ...(token !== undefined && { continue: token }),
  }
  try {
    return await withDeadline(clock, pageTimeoutMs, 'a list', signal, (deadline) =>
      source.list({ ...selection, ...page }, deadline),
    )
  } catch (error) {
    if (token !== undefined && isExpired(error)) throw new ExpiredBetweenPages(error)
    throw error
  }
}

class ExpiredBetweenPages extends Error {
  constructor(cause: unknown) {
    super('the list expired between two pages', { cause })
  }
}
