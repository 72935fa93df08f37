import type { Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { describeObject } from '../manifests/manifest.ts'

/** The resourceVersion of each object, by its name in messages. */
export type ObjectVersions = ReadonlyMap<string, string>

export async function objectVersions(
  client: KubeClient,
  kinds: readonly Resource[],
): Promise<ObjectVersions> {
  const versions = new Map<string, string>()
  for (const kind of kinds) {
    const { items } = await client.listMetadata(kind)
    for (const { metadata } of items) {
      versions.set(describeObject(kind, keyOf({ metadata })), metadata.resourceVersion ?? '')
    }
  }
  return versions
}

/** The objects that were created, changed or deleted. */
export function changedObjects(before: ObjectVersions, after: ObjectVersions): string[] {
  const all = new Set([...before.keys(), ...after.keys()])
  return [...all].filter((name) => before.get(name) !== after.get(name)).sort()
}
