import { isObject } from '@machinist/core/encoding/json'
import { HostFailure } from '../../host-failure.ts'
import { imageName } from '../../image-name.ts'

export interface RpmOstreeDeployment {
  /** Its index, for other commands. */
  readonly index: number
  readonly booted: boolean
  readonly image?: string
  /** The checksum of the image without layered packages. */
  readonly baseChecksum: string
  /** Requested packages, by name. */
  readonly packages: readonly string[]
  /** Removed packages of the image, by name. */
  readonly removed: readonly string[]
  /** Packages from local files, and replaced packages of the image, with their versions. */
  readonly replaced: readonly string[]
  /** Staged with locked finalization: the next boot ignores it until it is unlocked. */
  readonly locked: boolean
}

/** Parses `rpm-ostree status --json`, in boot order. */
export function readRpmOstreeStatus(json: string): RpmOstreeDeployment[] {
  const status = parseJson(json)
  const list = isObject(status) ? status['deployments'] : undefined
  if (!Array.isArray(list)) throw invalidStatus('has no list of deployments')
  return list.map(deployment)
}

function deployment(entry: unknown, index: number): RpmOstreeDeployment {
  if (!isObject(entry)) throw invalidStatus(`has an invalid deployment at index ${index}`)
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

/** The container image; for older versions the image that MCO recorded (`pivot://`); otherwise the branch. */
function imageOf(entry: Record<string, unknown>): string | undefined {
  const container = text(entry['container-image-reference'])
  if (container !== undefined) return imageName(container)
  const custom = entry['custom-origin']
  const url = Array.isArray(custom) ? text(custom[0]) : undefined
  if (url?.startsWith('pivot://')) return imageName(url)
  return text(entry['origin'])
}

/** Pairs of a repository and its packages. */
const fromRepositories = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((pair) => (Array.isArray(pair) ? texts(pair[1]) : [])) : []

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw invalidStatus('is not JSON')
  }
}

const invalidStatus = (why: string): HostFailure =>
  new HostFailure(`the output of rpm-ostree status --json ${why}`, 'EINVAL')
