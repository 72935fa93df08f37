import type { ServedKind } from '../kinds/served-kind.ts'

export interface ServedGroup {
  readonly name: string
  /** Preferred version first. */
  readonly versions: readonly ServedVersion[]
}

export interface ServedVersion {
  readonly version: string
  readonly kinds: readonly ServedKind[]
}

/** Every group except the core group, in the order of registration. */
export function servedGroups(kinds: readonly ServedKind[]): ServedGroup[] {
  return groupsOf(kinds.filter(({ group }) => group !== ''))
}

export function coreGroup(kinds: readonly ServedKind[]): ServedGroup[] {
  return groupsOf(kinds.filter(({ group }) => group === ''))
}

export const groupVersion = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`

function groupsOf(kinds: readonly ServedKind[]): ServedGroup[] {
  const byGroup = Map.groupBy(kinds, ({ group }) => group)
  return [...byGroup].map(([name, members]) => ({ name, versions: versionsOf(members) }))
}

function versionsOf(kinds: readonly ServedKind[]): ServedVersion[] {
  const byVersion = Map.groupBy(kinds, ({ version }) => version)
  return [...byVersion]
    .map(([version, members]) => ({ version, kinds: members }))
    .sort((a, b) => compareVersions(a.version, b.version))
}

/** v2, v1, v1beta2, v1beta1, v1alpha1, then others by name: Kubernetes' version priority. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [rank(a), rank(b)]
  if (!x || !y) return x ? -1 : y ? 1 : a < b ? -1 : Number(a > b)
  return y.stage - x.stage || y.major - x.major || y.minor - x.minor
}

const stages = ['alpha', 'beta', '']

function rank(version: string): { stage: number; major: number; minor: number } | undefined {
  const [, major, stage = '', minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? []
  if (major === undefined) return undefined
  return { stage: stages.indexOf(stage), major: Number(major), minor: Number(minor) }
}
