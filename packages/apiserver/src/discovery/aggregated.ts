import type { ServedKind, ServedSubresource } from '../kinds/served-kind.ts'
import type { ServedGroup, ServedVersion } from './group-versions.ts'

/** All groups and resources in one document. */
export function aggregatedDiscovery(
  groups: readonly ServedGroup[],
  version: string,
): Record<string, unknown> {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: { ...(group.name === '' ? {} : { name: group.name }), creationTimestamp: null },
      versions: group.versions.map(versionEntry),
    })),
  }
}

const versionEntry = ({ version, kinds }: ServedVersion): Record<string, unknown> => ({
  version,
  resources: kinds.map(resourceEntry),
  freshness: 'Current',
})

function resourceEntry(kind: ServedKind): Record<string, unknown> {
  return {
    resource: kind.plural,
    responseKind: ownKind(kind),
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...listed('shortNames', kind.shortNames),
    ...listed('categories', kind.categories),
    ...listed(
      'subresources',
      kind.subresources.map((subresource) => subresourceEntry(kind, subresource)),
    ),
  }
}

const subresourceEntry = (
  kind: ServedKind,
  { name, responseKind, verbs }: ServedSubresource,
): Record<string, unknown> => ({
  subresource: name,
  responseKind: responseKind?.group ? responseKind : ownKind({ ...kind, ...responseKind }),
  verbs,
})

/** Built-in kinds omit the group version of their document. */
const ownKind = ({ builtIn, group, version, kind }: ServedKind): Record<string, string> =>
  builtIn ? { group: '', version: '', kind } : { group, version, kind }

const listed = (field: string, values: readonly unknown[]): Record<string, unknown> =>
  values.length === 0 ? {} : { [field]: values }
