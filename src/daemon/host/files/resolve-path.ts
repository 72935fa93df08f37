import { childOf, parentOf, partsOf } from '../paths.ts'
import { LinkFollower } from './link-follower.ts'

/** The entry at a path, as far as path resolution needs it; undefined for a file or a missing entry. */
export type PathNode =
  | { readonly type: 'directory' }
  | { readonly type: 'symlink'; readonly target: string; readonly uid: number }
  | undefined

export interface PathResolution {
  /** The path after the links above its last part are followed; undefined if its directory does not exist. */
  readonly resolvedPath?: string
  /** Every path that the resolution depends on, in order, without the root. */
  readonly passed: readonly string[]
}

/** Resolves a path as chroot would: `/` is the root, and `..` stops there. */
export function resolvePath(path: string, nodeAt: (path: string) => PathNode): PathResolution {
  if (path === '/') return { resolvedPath: path, passed: [] }
  const todo = partsOf(path)
  const last = todo.pop()!
  const links = new LinkFollower(path)
  const passed: string[] = []
  let here = '/'
  for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
    if (name === '..') {
      here = parentOf(here)
      continue
    }
    const next = childOf(here, name)
    passed.push(next)
    const node = nodeAt(next)
    if (node === undefined) return { passed }
    if (node.type === 'directory') {
      here = next
      continue
    }
    todo.unshift(...links.follow(next, node.target, node.uid))
    if (node.target.startsWith('/')) here = '/'
  }
  const resolvedPath = childOf(here, last)
  passed.push(resolvedPath)
  return { resolvedPath, passed }
}
