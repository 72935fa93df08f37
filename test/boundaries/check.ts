import { isBuiltin } from 'node:module'
import { dirname } from 'node:path'
import type { SourceFile } from './source.ts'
import { slowShape } from './regular-expressions.ts'
import { capabilities, directions, emptyNames, mostFiles } from './rules.ts'

const roomOf = (path: string): string => path.split('/', 1)[0]!

/** Imports against the declared directions. */
export function wrongDirections(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter((target) => isOurs(target) && !mayImport(roomOf(path), target))
      .map(
        (target) =>
          `${path} imports ${target}: ${roomOf(path)} may import ${directions[roomOf(path)]?.join(', ') || 'nothing of ours'}`,
      ),
  )
}

/** Files that load each other in a ring, each ring once. Types may refer to each other. */
export function cycles(sources: readonly SourceFile[]): string[] {
  const graph = new Map(sources.map(({ path, loads }) => [path, loads]))
  const finished = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (finished.has(path)) return
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      return
    }
    for (const next of graph.get(path) ?? []) {
      if (graph.has(next)) visit(next, [...trail, path])
    }
    finished.add(path)
  }
  for (const { path } of sources) visit(path, [])
  return found
}

/** Folders of one room or package that import each other in a ring; type imports count, since they move together. */
export function folderCycles(sources: readonly SourceFile[]): string[] {
  const graph = new Map<string, Set<string>>()
  for (const { path, imports } of sources) {
    const from = dirname(path)
    const targets = imports.filter((target) => isOurs(target) && roomOf(target) === roomOf(path))
    const folders = graph.get(from) ?? new Set()
    for (const folder of targets.map((target) => dirname(target))) {
      if (folder !== from) folders.add(folder)
    }
    graph.set(from, folders)
  }
  return knotsIn(graph).map((folders) => `${folders.join(', ')} import each other`)
}

/** Sets of nodes that reach each other (Tarjan's algorithm). */
function knotsIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const knots: string[][] = []
  const visit = (node: string): number => {
    order.set(node, order.size)
    lowest.set(node, order.get(node)!)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      const reached = order.has(next)
        ? stack.includes(next)
          ? order.get(next)!
          : Infinity
        : visit(next)
      lowest.set(node, Math.min(lowest.get(node)!, reached))
    }
    if (lowest.get(node) === order.get(node)) {
      const knot = stack.splice(stack.indexOf(node))
      if (knot.length > 1) knots.push(knot.sort())
    }
    return lowest.get(node)!
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return knots
}

/** Folders in which a newcomer no longer finds a file by its name. */
export function largeFolders(sources: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${folder} has ${count} files: split it by topic`)
}

/** Imports of what only tests may use. */
export function importsOfFixtures(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter((target) => target.endsWith('.fixture.ts') || roomOf(target) === 'testing')
      .map((target) => `${path} imports ${target}, which is for tests`),
  )
}

/** Files whose imports are not in the order Node, packages, other folders, own folder. */
export function unorderedImports(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, written }) => {
    const late = written.findIndex((named, i) => i > 0 && rankOf(named) < rankOf(written[i - 1]!))
    return late < 0 ? [] : [`${path} imports ${written[late]} after ${written[late - 1]}`]
  })
}

function rankOf(named: string): number {
  if (isBuiltin(named)) return 0
  if (!named.startsWith('.')) return 1
  return named.startsWith('..') ? 2 : 3
}

/** Third-party packages that more than one file imports. */
export function packagesWithManySites(sources: readonly SourceFile[]): string[] {
  const sites = new Map<string, string[]>()
  for (const { path, imports } of sources) {
    for (const target of imports.filter(isPackage)) {
      const name = packageName(target)
      sites.set(name, [...(sites.get(name) ?? []), path])
    }
  }
  return [...sites]
    .filter(([, paths]) => new Set(paths).size > 1)
    .map(
      ([name, paths]) =>
        `${name} is imported by ${paths.join(' and ')}: give it one file that the others import`,
    )
}

/** Uses of disk, processes, network, time, randomness and environment outside their rooms. */
export function strayCapabilities(sources: readonly SourceFile[]): string[] {
  return sources.flatMap((source) =>
    capabilities
      .filter(({ homes }) => !homes.some((home) => isWithin(source.path, home)))
      .flatMap(({ what, homes, modules = [], names = [] }) =>
        [
          ...source.imports.filter((module) => modules.includes(module)),
          ...names.filter((name) => source.uses.has(name)),
        ].map(
          (how) => `${source.path} touches ${what} (${how}), which belongs to ${homes.join(', ')}`,
        ),
      ),
  )
}

/** Regular expressions that some text makes slow. */
export function slowPatterns(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, patterns }) =>
    patterns.flatMap(({ pattern, flags }) => {
      const why = slowShape(pattern, flags)
      return why === undefined ? [] : [`${path} has /${pattern}/${flags}: ${why}`]
    }),
  )
}

export function emptyFileNames(sources: readonly SourceFile[]): string[] {
  return sources.map(({ path }) => path).filter((path) => emptyNames.test(path))
}

/** The version in package.json is the one thing that the product takes from outside. */
const isOurs = (target: string): boolean =>
  /\.tsx?$/.test(target) || (target.startsWith('..') && !target.endsWith('.json'))
const isPackage = (target: string): boolean =>
  !isOurs(target) && !isBuiltin(target) && !target.endsWith('.json')
const isWithin = (path: string, home: string): boolean =>
  path === home || path.startsWith(`${home}/`)

function mayImport(room: string, target: string): boolean {
  return roomOf(target) === room || (directions[room]?.includes(roomOf(target)) ?? false)
}

/** `@scope/name/deep/file` and `name/deep/file` without what is deep. */
function packageName(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')
}
