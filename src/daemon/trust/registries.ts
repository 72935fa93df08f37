import { nodePaths } from '../../api/node-paths.ts'
import { messageOf } from '@machinist/core/errors'
import { sha256Hex } from '@machinist/core/digest'
import { Refused } from './item.ts'
import { refuseBadBundle } from './trust-file.ts'

const fileName = 'ca.crt'
/** As a host, an address or a port are written; so never a way to another directory. */
const hostName = /^[A-Za-z0-9._:[\]-]+$/
const mostHostBytes = 255

export const registryDirectory = (host: string): string => `${nodePaths.registryCAs}/${host}`

export const registryPath = (host: string): string => `${registryDirectory(host)}/${fileName}`

/** The host whose CAs are at a path, if it is such a one. */
export function hostOf(path: string): string | undefined {
  const [start, end] = [`${nodePaths.registryCAs}/`, `/${fileName}`]
  if (!path.startsWith(start) || !path.endsWith(end)) return undefined
  const host = path.slice(start.length, -end.length)
  return host === '' || host.includes('/') ? undefined : host
}

/** Why no directory can have this name; undefined if one can. */
export function hostProblem(host: string): string | undefined {
  if (host === '.' || host === '..' || !hostName.test(host)) {
    return 'this is no name of a registry, so there is no directory for it'
  }
  return host.length > mostHostBytes ? 'the name is too long for a directory' : undefined
}

export interface RegistryFacts {
  /** What shall be there, by host. */
  readonly wanted: ReadonlyMap<string, Uint8Array>
  /** Digests of what is there, of all hosts that are wanted or owned. */
  readonly actual: ReadonlyMap<string, string>
  /** Hosts whose files are ours. */
  readonly owned: readonly string[]
}

export interface RegistryPlan {
  readonly write: readonly string[]
  readonly remove: readonly string[]
  /** As they shall be already: they become ours. */
  readonly adopt: readonly string[]
  /** By host, why what is given for it cannot be used. The others go on. */
  readonly refused: ReadonlyMap<string, string>
}

/** What is to be done, host by host. What is not ours is not in it. */
export function planRegistries({ wanted, actual, owned }: RegistryFacts): RegistryPlan {
  const refused = new Map<string, string>()
  const write: string[] = []
  const adopt: string[] = []
  for (const [host, content] of wanted) {
    const problem = hostProblem(host) ?? bundleProblem(content)
    if (problem !== undefined) refused.set(host, problem)
    else if (actual.get(host) === sha256Hex(content)) adopt.push(host)
    else write.push(host)
  }
  return { write, adopt, refused, remove: owned.filter((host) => !wanted.has(host)) }
}

function bundleProblem(content: Uint8Array): string | undefined {
  try {
    refuseBadBundle(content)
    return undefined
  } catch (error) {
    if (error instanceof Refused) return messageOf(error)
    throw error
  }
}
