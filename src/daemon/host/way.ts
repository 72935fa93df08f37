import { LinksOnTheWay } from './links.ts'
import { childOf, parentOf, partsOf } from './paths.ts'

/** What is at a place, as far as it matters to somebody who passes. */
export type Signpost =
  | { readonly type: 'directory' }
  | { readonly type: 'symlink'; readonly target: string; readonly uid: number }
  | undefined

export interface Way {
  /** Where the path leads when the links above its last part are followed; undefined if there is no such directory. */
  readonly place?: string
  /** All places that decide about it, in order, without the root: as far as the way leads. */
  readonly passed: readonly string[]
}

/** Follows a path as chroot would: `/` is the root, and `..` stops there. */
export function wayTo(path: string, at: (place: string) => Signpost): Way {
  if (path === '/') return { place: path, passed: [] }
  const todo = partsOf(path)
  const last = todo.pop()!
  const links = new LinksOnTheWay(path)
  const passed: string[] = []
  let here = '/'
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    if (name === '..') {
      here = parentOf(here)
      continue
    }
    const next = childOf(here, name)
    passed.push(next)
    const sign = at(next)
    if (sign === undefined) return { passed }
    if (sign.type === 'directory') {
      here = next
      continue
    }
    todo.unshift(...links.follow(next, sign.target, sign.uid))
    if (sign.target.startsWith('/')) here = '/'
  }
  const place = childOf(here, last)
  passed.push(place)
  return { place, passed }
}
