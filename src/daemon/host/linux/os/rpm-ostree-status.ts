import { isObject } from '@machinist/core/json'
import { HostFailure } from '../../host-failure.ts'
import { imageName } from '../../image-name.ts'

export interface RpmOstreeDeployment {
  /** Its place in the list, by which other commands know it. */
  readonly index: number
  readonly booted: boolean
  readonly image?: string
  /** Of the image itself, without what was put on it. */
  readonly baseChecksum: string
  /** Packages that somebody asked for, by name. */
  readonly packages: readonly string[]
  /** Packages of the image that somebody took away, by name. */
  readonly removed: readonly string[]
  /** Packages from files, and packages of the image that were replaced: with their versions. */
  readonly replaced: readonly string[]
  /** Staged, but it becomes the next boot's only when somebody says so. */
  readonly locked: boolean
}

/** From `rpm-ostree status --json`: in the order in which they would boot. */
export function readRpmOstreeStatus(json: string): RpmOstreeDeployment[] {
  const status = parsed(json)
  const list = isObject(status) ? status['deployments'] : undefined
  if (!Array.isArray(list)) throw unreadable('has no list of deployments')
  return list.map(deployment)
}

function deployment(entry: unknown, index: number): RpmOstreeDeployment {
  if (!isObject(entry)) throw unreadable(`has something else than a deployment at ${index}`)
  const image = imageOf(entry)
  return {
    index,
    booted: entry['booted'] === true,
    ...(image !== undefined && { image }),
    baseChecksum: text(entry['base-checksum']) ?? text(entry['checksum']) ?? '',
    packages: texts(entry['requested-packages']),
    removed: texts(entry['requested-base-removals']),
    replaced: [
      ...texts(entry['requested-local-packages']),
      ...texts(entry['requested-local-fileoverride-packages']),
      ...texts(entry['requested-base-local-replacements']),
      ...fromRepositories(entry['requested-base-remote-replacements']),
    ],
    locked: entry['finalization-locked'] === true,
  }
}

/** Since images are containers, that one; before, what the original noted when it had unpacked one; else the branch. */
function imageOf(entry: Record<string, unknown>): string | undefined {
  const container = text(entry['container-image-reference'])
  if (container !== undefined) return imageName(container)
  const custom = entry['custom-origin']
  const url = Array.isArray(custom) ? text(custom[0]) : undefined
  if (url?.startsWith('pivot://')) return imageName(url)
  return text(entry['origin'])
}

/** Pairs of a repository and the packages that come from there. */
const fromRepositories = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((pair) => (Array.isArray(pair) ? texts(pair[1]) : [])) : []

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw unreadable('is not JSON')
  }
}

const unreadable = (why: string): HostFailure =>
  new HostFailure(`what rpm-ostree status --json wrote ${why}`, 'EINVAL')
