import type { Store, StoreRange } from '../store/store.ts'
import { Compacted } from '../store/store.ts'
import { badRequest } from '../status/status-error.ts'
import { CachedObject } from './cached-object.ts'
import { decodeContinue, encodeContinue, ExpiredContinue } from './continue-token.ts'
import type { ListQuery } from './list-options.ts'
import { futureRevision, parseResourceVersion, tooOldToList } from './resource-version.ts'
import type { Scope } from './scope.ts'
import { isPrefix } from './scope.ts'

export interface ListPage {
  readonly items: readonly CachedObject[]
  readonly resourceVersion: string
  /** Token of the next page, if there is one. */
  readonly continue?: string
  /** Unknown with selectors. */
  readonly remainingItemCount?: number
}

/** How to answer a list: revision and page. */
export interface ListPlan {
  /** Wait until the store has reached this revision. */
  readonly notOlderThan?: number
  /** At this revision; default: the newest. */
  readonly exactly?: number
  readonly after?: string
  /** 0: no limit. */
  readonly limit: number
}

/** Interprets a validated query as kube-apiserver does. */
export function planList(scope: Scope, query: ListQuery): ListPlan {
  const limit = Math.max(query.limit ?? 0, 0)
  if (query.continue) return planNextPage(scope, query, limit)
  const requested = parseResourceVersion(query.resourceVersion)
  if (requested === undefined) return { limit }
  // Any version: kube-apiserver answers from its cache, which ignores limits.
  if (requested === 0) return { limit: 0 }
  // A limit without resourceVersionMatch means Exact.
  const exact = query.resourceVersionMatch ? query.resourceVersionMatch === 'Exact' : limit > 0
  return exact ? { limit, exactly: requested } : { limit, notOlderThan: requested }
}

function planNextPage(scope: Scope, query: ListQuery, limit: number): ListPlan {
  if (query.resourceVersion && query.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const { after, revision } = decodeContinue(query.continue!)
  return { limit, after: scope + after, exactly: revision }
}

/** Throws if the revision is compacted or in the future. */
export function readList(
  store: Store,
  scope: Scope,
  plan: ListPlan,
  query: Pick<ListQuery, 'select'>,
): ListPage {
  const revision = plan.exactly ?? store.revision
  if (revision > store.revision) throw futureRevision()
  try {
    const { items, hasMore } = readPage(store, scope, plan, query)
    const page = { items, resourceVersion: String(revision) }
    return hasMore ? { ...page, ...nextPage(store, scope, plan, query, items.at(-1)!) } : page
  } catch (error) {
    if (!(error instanceof Compacted)) throw error
    if (plan.after === undefined) throw tooOldToList()
    throw new ExpiredContinue(encodeContinue(scope, plan.after, undefined))
  }
}

interface Page {
  readonly items: CachedObject[]
  readonly hasMore: boolean
}

function readPage(
  store: Store,
  scope: Scope,
  { exactly, after, limit }: ListPlan,
  { select }: Pick<ListQuery, 'select'>,
): Page {
  if (!isPrefix(scope)) return { items: readOne(store, scope, exactly, select), hasMore: false }
  const maxItems = limit === 0 ? Infinity : limit
  const items: CachedObject[] = []
  for (const object of walk(store, { prefix: scope, after, revision: exactly }, limit)) {
    if (select && !select(object.object)) continue
    if (items.length === maxItems) return { items, hasMore: true }
    items.push(object)
  }
  return { items, hasMore: false }
}

/** Objects in order, read in portions: with a selector, the number needed for a page is unknown. */
function* walk(store: Store, range: StoreRange, limit: number): Iterable<CachedObject> {
  const portion = limit === 0 ? undefined : Math.max(limit + 1, smallestPortion)
  for (let after = range.after; ;) {
    const found = store.range({ ...range, after, limit: portion })
    for (const stored of found) yield new CachedObject(stored)
    if (portion === undefined || found.length < portion) return
    after = found.at(-1)!.key
  }
}

const smallestPortion = 200

function readOne(
  store: Store,
  key: string,
  revision: number | undefined,
  select: ListQuery['select'],
): CachedObject[] {
  // The key itself is the first of all keys with this prefix.
  const [first] = store.range({ prefix: key, revision, limit: 1 })
  if (first?.key !== key) return []
  const object = new CachedObject(first)
  return select && !select(object.object) ? [] : [object]
}

function nextPage(
  store: Store,
  scope: Scope,
  { exactly }: ListPlan,
  { select }: Pick<ListQuery, 'select'>,
  last: CachedObject,
): Pick<ListPage, 'continue' | 'remainingItemCount'> {
  const revision = exactly ?? store.revision
  const token = encodeContinue(scope, last.key, revision)
  if (select) return { continue: token }
  const remainingItemCount = store.count({ prefix: scope, after: last.key, revision })
  return { continue: token, remainingItemCount }
}
