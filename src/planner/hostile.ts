import { nodePaths } from '../api/node-paths.ts'
import type { Config } from '@machinist/ignition/config'
import type { ReadConfig } from './read-config.ts'
import { unitPathsOf } from './units.ts'
import { plain, quoted } from '@machinist/core/quoted'

/** What no config may ask of a node, whoever wrote it: paths and names that lead elsewhere, or to what is ours. */
export function hostileReasons({ ignition, osImage, kernelArguments }: ReadConfig): string[] {
  const paths = (ignition.storage?.files ?? []).map(({ path }) => path)
  const units = unitPathsOf(ignition)
  return [
    ...paths.flatMap((path) => reason(`file path ${quoted(path)}`, pathProblem(path))),
    ...paths.flatMap(reservedReason),
    ...nestingReasons([...paths, ...units.keys()]),
    ...unitReasons(ignition),
    ...sharedReasons(paths, units),
    ...(/[\s\p{Cc}]/u.test(osImage) || osImage.startsWith('-')
      ? [`osImageURL ${quoted(osImage)} is no reference of an image`]
      : []),
    ...kernelArguments
      .filter((word) => /\p{Cc}/u.test(word))
      .map((word) => `kernel argument ${quoted(word)} holds control characters`),
  ]
}

const reason = (what: string, problem: string | undefined): string[] =>
  problem === undefined ? [] : [`${what} ${problem}`]

/** Names of files on Linux are at most this long, in bytes, and paths that. */
const [longestName, longestPath] = [255, 4095]

/** That a path is absolute and clean, and in the config only once, Ignition's own rules make sure of. */
function pathProblem(path: string): string | undefined {
  if (path === '/') return 'is a directory'
  if (/\p{Cc}/u.test(path)) return 'holds a line break or another control character'
  if (Buffer.byteLength(path) > longestPath) return `is longer than ${longestPath} bytes`
  if (path.split('/').some((name) => Buffer.byteLength(name) > longestName)) {
    return `has a part that is longer than ${longestName} bytes`
  }
  return undefined
}

const ours = [
  ...Object.values(nodePaths).filter((path) => path.startsWith(`${nodePaths.state}/`)),
  nodePaths.encapsulated,
  nodePaths.served,
  nodePaths.force,
  `${nodePaths.state}/state.json`,
  `${nodePaths.state}/bootstrapconfigdiff`,
]

function reservedReason(path: string): string[] {
  if (isAtOrBelow(path, nodePaths.force)) return [`cannot create ${plain(path)} via Ignition`]
  if (path === nodePaths.state || ours.some((own) => isAtOrBelow(path, own))) {
    return [`cannot create ${plain(path)} via Ignition: the daemon keeps its own state there`]
  }
  const kernel = ['/proc', '/sys', '/dev'].find((place) => isAtOrBelow(path, place))
  return kernel ? [`cannot create ${plain(path)} via Ignition: ${kernel} is the kernel's`] : []
}

const isAtOrBelow = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`)

/** Units and drop-ins are files, too. */
function nestingReasons(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return [...all].flatMap((path) => {
    const above = fileAbove(path, all)
    return above === undefined
      ? []
      : [`file ${plain(path)} is below ${plain(above)}, which is a file, too`]
  })
}

/** The nearest one of these paths that would have to be a directory for this path to exist. */
function fileAbove(path: string, files: ReadonlySet<string>): string | undefined {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const above = path.slice(0, end)
    if (files.has(above)) return above
  }
  return undefined
}

function* unitReasons(config: Config): Iterable<string> {
  for (const unit of config.systemd?.units ?? []) {
    yield* reason(`unit name ${quoted(unit.name)}`, nameProblem(unit.name))
    for (const { name } of unit.dropins ?? []) {
      yield* reason(`drop-in name ${quoted(name)} of unit ${quoted(unit.name)}`, nameProblem(name))
    }
  }
}

function nameProblem(name: string): string | undefined {
  if (name.includes('/')) return 'leads to another directory'
  if (/\p{Cc}/u.test(name)) return 'holds a line break or another control character'
  if (name.startsWith('-')) return 'begins with "-", as options of commands do'
  if (Buffer.byteLength(name) > longestName) return `is longer than ${longestName} bytes`
  return undefined
}

/** Ignition since spec 3.4 refuses a file at the path of a unit; older specs let it pass, and one would overwrite the other. */
function sharedReasons(files: readonly string[], units: ReadonlyMap<string, string>): string[] {
  return files.flatMap((path) => {
    const owner = units.get(path)
    return owner === undefined ? [] : [`file ${plain(path)} is at the place of ${owner}`]
  })
}
