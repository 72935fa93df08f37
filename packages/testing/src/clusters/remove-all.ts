import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'

/** Removes every object of these kinds, and finalizers of controllers that no longer run. */
export async function removeAll(client: KubeClient, resources: readonly Resource[]): Promise<void> {
  await Promise.all(
    resources.map(async (resource) => {
      const objects = (await ignoreNotFound(Array.fromAsync(client.listAll(resource)))) ?? []
      await Promise.all(objects.map((object) => remove(client, resource, object)))
    }),
  )
}

async function remove(client: KubeClient, resource: Resource, object: KubeObject): Promise<void> {
  const withoutFinalizers = mergePatch({ metadata: { finalizers: null } })
  if (object.metadata.finalizers)
    await ignoreNotFound(client.patch(resource, keyOf(object), withoutFinalizers))
  await ignoreNotFound(client.remove(resource, keyOf(object)))
}
