import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { ApiFailure } from '../failure.ts'
import { isExpired } from '../failure.ts'
import type { ListOptions, Page } from '../list-watch.ts'

const maxRestarts = 5

/**
 * Yields the items of a list page by page. After a few minutes the server drops the version of the first page (410 Expired)
 * and returns a token to continue from. Without a token the list starts over and skips items that were already yielded.
 */
export async function* listPages<T extends KubeObject, Options extends ListOptions>(
  list: (options: Options) => Promise<Page<T>>,
  options: Options,
): AsyncGenerator<T[]> {
  const yielded = new Set<string>()
  let restarts = 0
  for (let next = options.continue, more = true; more;) {
    const page = await catchExpired(
      list({ ...options, limit: options.limit ?? 500, continue: next }),
    )
    if ('failure' in page) {
      if (next === undefined || ++restarts > maxRestarts) throw page.failure
      next = page.failure.status.metadata?.continue
      continue
    }
    yield page.items.filter((item) => isNew(yielded, item))
    next = page.continue
    more = next !== undefined
  }
}

async function catchExpired<P>(page: Promise<P>): Promise<P | { readonly failure: ApiFailure }> {
  try {
    return await page
  } catch (error) {
    if (isExpired(error)) return { failure: error }
    throw error
  }
}

function isNew(yielded: Set<string>, item: KubeObject): boolean {
  const before = yielded.size
  return yielded.add(keyText(keyOf(item))).size > before
}
