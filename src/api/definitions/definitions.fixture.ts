import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isAlreadyExists } from '@machinist/kube/failure'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { apply } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { kinds } from './kinds.ts'
import { customResourceDefinition } from './crd.ts'

/** Installs the kinds, by default all of Machinist's. Resolves when the API server serves them. */
export async function installDefinitions(
  client: KubeClient,
  kindsToInstall: typeof kinds = kinds,
): Promise<void> {
  await Promise.all(
    kindsToInstall.map(async (kind) => {
      const definition = customResourceDefinition(kind) as KubeObject
      const patch = apply(definition, { fieldManager: 'machinist', force: true })
      await client.patch(customResourceDefinitions, keyOf(definition), patch)
      await waitUntilServed(client, kind.resource)
    }),
  )
}

/** Installs kinds without a schema. Existing definitions are not changed. */
export async function installLooseKinds(
  client: KubeClient,
  resources: readonly Resource[],
): Promise<void> {
  await Promise.all(
    resources.map(async (resource) => {
      const definition = looseDefinition(resource)
      await client.create(customResourceDefinitions, definition).catch(ignoreAlreadyExists)
      await waitUntilServed(client, resource)
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

function waitUntilServed(client: KubeClient, resource: Resource): Promise<void> {
  return until(`${resource.plural} are served`, async () => {
    return (await ignoreNotFound(client.list(resource))) !== undefined
  })
}

function ignoreAlreadyExists(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}
