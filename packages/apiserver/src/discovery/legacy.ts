import { createHash } from 'node:crypto'
import type { ServedKind, ServedSubresource } from '../kinds/served-kind.ts'
import type { ServedGroup } from './group-versions.ts'
import { groupVersion } from './group-versions.ts'

type Document = Record<string, unknown>

/** `/api` */
export function coreVersions(serverAddress: string): Document {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/** `/apis` */
export function groupList(groups: readonly ServedGroup[]): Document {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupEntry) }
}

/** `/apis/<group>` */
export function groupDocument(group: ServedGroup): Document {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) }
}

/** `/api/v1`, `/apis/<group>/<version>` */
export function resourceList(
  group: string,
  version: string,
  kinds: readonly ServedKind[],
): Document {
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: groupVersion(group, version),
    resources: kinds.flatMap((kind) => [
      resourceEntry(kind),
      ...kind.subresources.map((subresource) => subresourceEntry(kind, subresource)),
    ]),
  }
}

function groupEntry({ name, versions }: ServedGroup): Document {
  const entries = versions.map(({ version }) => ({
    groupVersion: groupVersion(name, version),
    version,
  }))
  return { name, versions: entries, preferredVersion: entries[0] }
}

function resourceEntry(kind: ServedKind): Document {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(kind.verbs.includes('list') ? { storageVersionHash: storageHash(kind) } : {}),
  }
}

function subresourceEntry(
  kind: ServedKind,
  { name, responseKind, verbs }: ServedSubresource,
): Document {
  const { group, version } = responseKind ?? {}
  return {
    name: `${kind.plural}/${name}`,
    singularName: '',
    namespaced: kind.namespaced,
    ...(group ? { group, version } : {}),
    kind: responseKind?.kind ?? kind.kind,
    verbs,
  }
}

function storageHash({ group, version, kind }: ServedKind): string {
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest()
  return digest.subarray(0, 8).toString('base64')
}
