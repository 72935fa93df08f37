import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/resource'
import { isExpired } from '../failure.ts'
import type { ListWatch, Page } from '../list-watch.ts'
import { withPatience } from '../patience.ts'

export interface Selection {
  readonly namespace?: string
  readonly labels?: string
  readonly fields?: string
}

export interface Listing<T extends KubeObject> {
  readonly source: ListWatch<T>
  readonly selection: Selection
  readonly clock: Clock
  /** Runs on each object as its page arrives, so that no more than one page of raw objects is held. */
  readonly admit: (object: T) => T
  readonly onPage: () => void
}

export interface Listed<T extends KubeObject> {
  readonly objects: T[]
  readonly resourceVersion: string
}

const pageSize = 500
/** A page that takes longer than the server's own limit for a request will not come. */
const pageTimeoutMs = 70_000

/**
 * Everything that is selected, as of one moment.
 *
 * The list is the newest state (no resourceVersion) in pages, not the server's cache ("0"): a cache may lie behind what
 * we have seen already and would take us back in time, and it ignores the limit, so that the whole list comes as one
 * body. The price, a quorum read, is small here: we watch few kinds, and the daemons select one object by name.
 */
export async function listAll<T extends KubeObject>(
  listing: Listing<T>,
  signal: AbortSignal,
): Promise<Listed<T>> {
  try {
    return await listPages(listing, pageSize, signal)
  } catch (error) {
    if (!(error instanceof ExpiredBetweenPages)) throw error
    // The list is changing faster than we can page through it, so ask for all of it at once.
    return await listPages(listing, undefined, signal)
  }
}

async function listPages<T extends KubeObject>(
  listing: Listing<T>,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<Listed<T>> {
  const objects: T[] = []
  const first = await listPage(listing, limit, undefined, signal)
  for (let page = first; ;) {
    for (const item of page.items) objects.push(listing.admit(item))
    listing.onPage()
    const token = page.continue
    // All pages carry the version of the first; if a server gave later ones, the first is the one that misses nothing.
    if (!token) return { objects, resourceVersion: first.resourceVersion }
    page = await listPage(listing, limit, token, signal)
    if (page.continue === token)
      throw new Error('the server sends the same page of a list again and again')
  }
}

async function listPage<T extends KubeObject>(
  { source, selection, clock }: Listing<T>,
  limit: number | undefined,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Page<T>> {
  const where = {
    ...(limit !== undefined && { limit }),
    ...(token !== undefined && { continue: token }),
  }
  try {
    return await withPatience(clock, pageTimeoutMs, 'a list', signal, (patience) =>
      source.list({ ...selection, ...where }, patience),
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
