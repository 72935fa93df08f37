import { sha256Hex } from '@machinist/core/encoding/digest'
import { nodePaths } from '../../api/node-paths.ts'
import { bundleProblem } from './bundle-problem.ts'

const fileName = 'ca.crt'
/** Characters of host names, addresses and ports; so never a path to another directory. */
const hostName = /^[A-Za-z0-9._:[\]-]+$/
const mostHostBytes = 255

export const registryDirectory = (host: string): string => `${nodePaths.registryCAs}/${host}`

export const registryPath = (host: string): string => `${registryDirectory(host)}/${fileName}`

/** The host whose CAs are at a path; undefined for other paths. */
export function hostOf(path: string): string | undefined {
  const [start, end] = [`${nodePaths.registryCAs}/`, `/${fileName}`]
  if (!path.startsWith(start) || !path.endsWith(end)) return undefined
  const host = path.slice(start.length, -end.length)
  return host === '' || host.includes('/') ? undefined : host
}

/** Why the host cannot be the name of a directory; undefined if it can. */
export function hostProblem(host: string): string | undefined {
  if (host === '.' || host === '..' || !hostName.test(host)) {
    return 'the name is not a valid registry host'
  }
  return host.length > mostHostBytes ? 'the name is too long for a directory' : undefined
}

export interface RegistryFacts {
  /** The desired files, by host. */
  readonly desired: ReadonlyMap<string, Uint8Array>
  /** Digests of the files on disk, for all hosts that are desired or owned. */
  readonly actual: ReadonlyMap<string, string>
  /** Hosts whose files the lane owns. */
  readonly owned: readonly string[]
}

export interface RegistryPlan {
  readonly write: readonly string[]
  readonly remove: readonly string[]
  /** Hosts whose files are current: the lane takes ownership. */
  readonly adopt: readonly string[]
  /** Hosts with unusable content, with the reason. They do not affect the others. */
  readonly refused: ReadonlyMap<string, string>
}

/** Plans the changes per host. Files that the lane does not own are left alone. */
export function planRegistries({ desired, actual, owned }: RegistryFacts): RegistryPlan {
  const refused = new Map<string, string>()
  const write: string[] = []
  const adopt: string[] = []
  for (const [host, content] of desired) {
    const problem = hostProblem(host) ?? bundleProblem(content)
    if (problem !== undefined) refused.set(host, problem)
    else if (actual.get(host) === sha256Hex(content)) adopt.push(host)
    else write.push(host)
  }
  return { write, adopt, refused, remove: owned.filter((host) => !desired.has(host)) }
}
