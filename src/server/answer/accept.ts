import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import { supportedVersions } from '@machinist/ignition/convert/versions'

/** The Ignition versions that a client accepts. */
export interface AcceptedVersions {
  /** In the order of preference; empty if none of the requested versions is supported. */
  readonly versions: readonly IgnitionVersion[]
  /** The versions that the client requested; empty if it left the choice to the server. */
  readonly requested: readonly string[]
}

const ignitionSubtype = 'vnd.coreos.ignition+json'
const defaultQuality = 1

/**
 * Parses an Accept header with the rules of MCO: only Ignition items with a valid version count. Without one, the client gets the
 * oldest version that can express the config, which is what MCO's clients without a version expect. A quality of 0 means that the
 * client does not accept the item (RFC 9110).
 */
export function parseAccept(header: string | undefined): AcceptedVersions {
  const items = (header ?? '').split(',').flatMap((text) => itemOf(text) ?? [])
  if (items.length === 0) return { versions: supportedVersions, requested: [] }
  const sorted = items.toSorted((a, b) => b.quality - a.quality)
  const versions = sorted.flatMap(({ version, quality }) =>
    quality > 0 ? (servedFor(version) ?? []) : [],
  )
  return {
    versions: [...new Set(versions)],
    requested: [...new Set(sorted.map(({ version }) => version.text))],
  }
}

interface AcceptItem {
  readonly version: SemanticVersion
  readonly quality: number
}

interface SemanticVersion {
  readonly text: string
  readonly major: number
  readonly minor: number
}

function itemOf(text: string): AcceptItem | undefined {
  const [type = '', ...parameters] = text.split(';')
  const slash = type.indexOf('/')
  if (slash < 0 || type.slice(slash + 1).trim() !== ignitionSubtype) return undefined
  const version = semanticVersion(parameterOf(parameters, 'version'))
  return version && { version, quality: qualityOf(parameterOf(parameters, 'q')) }
}

/** The first parameter with this name. */
function parameterOf(parameters: readonly string[], name: string): string {
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    if (parameter.slice(0, equals).trim() === name) return parameter.slice(equals + 1).trim()
  }
  return ''
}

const versionPattern = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[\w.-]{1,64})?(?:\+[\w.-]{1,64})?$/

/** A pre-release such as `3.6.0-experimental` precedes its version: its client supports the minor version before. */
function semanticVersion(text: string): SemanticVersion | undefined {
  const [, major, minor, patch, preRelease] = versionPattern.exec(text) ?? []
  if (major === undefined) return undefined
  const isBefore = preRelease !== undefined && Number(patch) === 0
  const version = { text, major: Number(major), minor: Number(minor) }
  if (!isBefore) return version
  return version.minor > 0
    ? { ...version, minor: version.minor - 1 }
    : { ...version, major: version.major - 1, minor: Infinity }
}

function qualityOf(text: string): number {
  return /^(?:\d{1,3}(?:\.\d{0,9})?|\.\d{1,9})$/.test(text) ? Number(text) : defaultQuality
}

const newest = Number(supportedVersions.at(-1)!.split('.')[1])

/** The newest version that a client of this version understands. */
function servedFor({ major, minor }: SemanticVersion): IgnitionVersion | undefined {
  if (major === 2) return minor >= 2 ? '2.2' : undefined
  const name = `${major}.${Math.min(minor, newest)}`
  return supportedVersions.find((version) => version === name)
}
