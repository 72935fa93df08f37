import type { KubeObject } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import type { ApiFailure } from './failure.ts'
import { isExpired } from './failure.ts'
import type { ListOptions, Page } from './list-watch.ts'

const maxRestarts = 5

/**
 * The items of a list, page by page. A server forgets the version that a list began with after some minutes (410). It
 * then offers a token to go on from; where it does not, the list starts over and what was given already is left out.
 */
export async function* pagesOf<T extends KubeObject, Options extends ListOptions>(
  list: (options: Options) => Promise<Page<T>>,
  options: Options,
): AsyncGenerator<T[]> {
  const given = new Set<string>()
  let restarts = 0
  for (let next = options.continue, more = true; more;) {
    const page = await attempted(list({ ...options, limit: options.limit ?? 500, continue: next }))
    if ('failure' in page) {
      if (next === undefined || ++restarts > maxRestarts) throw page.failure
      next = page.failure.status.metadata?.continue
      continue
    }
    yield page.items.filter((item) => isNew(given, item))
    next = page.continue
    more = next !== undefined
  }
}

async function attempted<P>(page: Promise<P>): Promise<P | { readonly failure: ApiFailure }> {
  try {
    return await page
  } catch (error) {
    if (isExpired(error)) return { failure: error }
    throw error
  }
}

function isNew(given: Set<string>, item: KubeObject): boolean {
  const before = given.size
  return given.add(keyText(keyOf(item))).size > before
}
