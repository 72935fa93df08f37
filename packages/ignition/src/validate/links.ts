import { posix } from 'node:path'
import type { Link, Storage } from '../spec/config.ts'
import type { Place } from '../report/report.ts'
import type { Spec } from '../spec/version.ts'
import { specAtLeast } from '../spec/version.ts'
import { checkNode } from './nodes.ts'

export function checkLinks(storage: Storage, spec: Spec, place: Place): void {
  const directories = new Set((storage.directories ?? []).map(({ path }) => path))
  for (const [i, link] of (storage.links ?? []).entries()) {
    const at = place.at('links', i)
    checkNode(link, at)
    // Up to 3.2 the target is optional.
    if (specAtLeast(spec, '3.3') && !link.target) at.at('target').error('is required')
    else if (link.hard === true) checkHardLink(link, directories, at)
  }
}

/** A path below a link would be written to the target of the link. */
export function rejectPathsBelowLinks(storage: Storage, place: Place): void {
  const { directories = [], files = [], links = [] } = storage
  if (links.length === 0) return
  const tree = linkTree(links)
  for (const [list, nodes] of Object.entries({ directories, files, links })) {
    for (const [i, { path }] of nodes.entries()) {
      const link = linkAbove(path, tree)
      if (link) place.at(list, i).error(`its path lies below the link ${link}`)
    }
  }
}

function checkHardLink(link: Link, directories: ReadonlySet<string>, place: Place): void {
  if (directories.has(hardLinkTarget(link))) {
    place.error('is a hard link to a directory of this config, which is not possible')
  }
  for (const who of ['user', 'group'] as const) {
    for (const how of ['id', 'name'] as const) {
      if (link[who]?.[how] === undefined) continue
      place.at(who, how).warn('is ignored: a hard link has the owner of its target')
    }
  }
}

/** Ignition resolves a relative target as if the link were a directory. */
function hardLinkTarget({ path, target = '' }: Link): string {
  return posix.resolve('/', target.startsWith('/') ? target : `${path}/${target}`)
}

/** A tree of links by path segment, to find the links above a path in linear time. */
interface Step {
  link?: string
  readonly below: Map<string, Step>
}

function linkTree(links: readonly Link[]): Step {
  const root: Step = { below: new Map() }
  for (const { path } of links) {
    let step = root
    for (const name of path.split('/')) {
      let next = step.below.get(name)
      if (!next) {
        next = { below: new Map() }
        step.below.set(name, next)
      }
      step = next
    }
    step.link = path
  }
  return root
}

function linkAbove(path: string, tree: Step): string | undefined {
  const names = path.split('/')
  names.pop()
  let step: Step | undefined = tree
  for (const name of names) {
    step = step.below.get(name)
    if (step?.link !== undefined) return step.link
    if (!step) return undefined
  }
  return undefined
}
