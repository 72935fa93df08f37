import { kinds } from './kinds.ts'
import { customResourceDefinition } from './schema/crd.ts'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { keyOf } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere, isAlreadyExists } from '@machinist/kube/failure'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { apply } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'

/** Our kinds, all of them unless said. Resolves when they are served. */
export async function installDefinitions(
  client: KubeClient,
  wanted: typeof kinds = kinds,
): Promise<void> {
  await Promise.all(
    wanted.map(async (kind) => {
      const definition = customResourceDefinition(kind) as KubeObject
      const patch = apply(definition, { fieldManager: 'machinist', force: true })
      await client.patch(customResourceDefinitions, keyOf(definition), patch)
      await isServed(client, kind.resource)
    }),
  )
}

/** Kinds of others, which take anything. Where one is there already, it stays as it is. */
export async function installLooseKinds(
  client: KubeClient,
  places: readonly Resource[],
): Promise<void> {
  await Promise.all(
    places.map(async (place) => {
      const definition = looseDefinition(place)
      await client.create(customResourceDefinitions, definition).catch(unlessThere)
      await isServed(client, place)
    }),
  )
}

function looseDefinition({
  group,
  version,
  kind,
  plural,
  namespaced,
}: Resource): CustomResourceDefinition {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const subresources = { status: {} }
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        { name: version, served: true, storage: true, schema: { openAPIV3Schema }, subresources },
      ],
    },
  }
}

function isServed(client: KubeClient, place: Resource): Promise<void> {
  return until(`${place.plural} are served`, async () => {
    return (await ifThere(client.list(place))) !== undefined
  })
}

function unlessThere(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}
