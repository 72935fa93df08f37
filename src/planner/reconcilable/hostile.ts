import type { Config } from '@machinist/ignition/spec/config'
import { plain, quoted } from '@machinist/core/quoted'
import { nodePaths } from '../../api/node-paths.ts'
import type { ReadConfig } from '../differences/read-config.ts'
import { unitPathsOf } from '../differences/units.ts'

/** Reasons against unsafe paths and names: those that escape their directory or overwrite state of the daemon. */
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
      ? [`osImageURL ${quoted(osImage)} is not a valid image reference`]
      : []),
    ...kernelArguments
      .filter((word) => /\p{Cc}/u.test(word))
      .map((word) => `kernel argument ${quoted(word)} contains control characters`),
  ]
}

const reason = (what: string, problem: string | undefined): string[] =>
  problem === undefined ? [] : [`${what} ${problem}`]

/** NAME_MAX and PATH_MAX of Linux, in bytes. */
const [maxNameLength, maxPathLength] = [255, 4095]

/** The rules of Ignition ensure that a path is absolute, clean and unique. */
function pathProblem(path: string): string | undefined {
  if (path === '/') return 'is a directory'
  if (/\p{Cc}/u.test(path)) return 'contains a line break or another control character'
  if (Buffer.byteLength(path) > maxPathLength) return `is longer than ${maxPathLength} bytes`
  if (path.split('/').some((name) => Buffer.byteLength(name) > maxNameLength)) {
    return `has a segment that is longer than ${maxNameLength} bytes`
  }
  return undefined
}

const daemonPaths = [
  ...Object.values(nodePaths).filter((path) => path.startsWith(`${nodePaths.state}/`)),
  nodePaths.encapsulated,
  nodePaths.served,
  nodePaths.force,
  `${nodePaths.state}/state.json`,
  `${nodePaths.state}/bootstrapconfigdiff`,
]

function reservedReason(path: string): string[] {
  if (isAtOrBelow(path, nodePaths.force)) return [`cannot create ${plain(path)} via Ignition`]
  if (path === nodePaths.state || daemonPaths.some((own) => isAtOrBelow(path, own))) {
    return [`cannot create ${plain(path)} via Ignition: the path is reserved for the daemon`]
  }
  const kernel = ['/proc', '/sys', '/dev'].find((place) => isAtOrBelow(path, place))
  return kernel
    ? [`cannot create ${plain(path)} via Ignition: ${kernel} belongs to the kernel`]
    : []
}

const isAtOrBelow = (path: string, place: string): boolean =>
  path === place || path.startsWith(`${place}/`)

/** Includes units and drop-ins, which are files. */
function nestingReasons(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return [...all].flatMap((path) => {
    const above = fileAbove(path, all)
    return above === undefined
      ? []
      : [`file ${plain(path)} is below ${plain(above)}, which is also a file`]
  })
}

/** The nearest of these files that is an ancestor of the path. */
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
  if (name.includes('/')) return 'contains "/"'
  if (/\p{Cc}/u.test(name)) return 'contains a line break or another control character'
  if (name.startsWith('-')) return 'starts with "-", so commands would read it as an option'
  if (Buffer.byteLength(name) > maxNameLength) return `is longer than ${maxNameLength} bytes`
  return undefined
}

/** Ignition rejects a file at the path of a unit since spec 3.4. With older specs, one would overwrite the other. */
function sharedReasons(files: readonly string[], units: ReadonlyMap<string, string>): string[] {
  return files.flatMap((path) => {
    const owner = units.get(path)
    return owner === undefined ? [] : [`file ${plain(path)} has the path of ${owner}`]
  })
}
