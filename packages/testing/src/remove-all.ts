import type { KubeObject, Resource } from '@machinist/core/resource'
import { keyOf } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'

/** Every object of these kinds, also where somebody who no longer works holds on to it. */
export async function removeAll(client: KubeClient, places: readonly Resource[]): Promise<void> {
  await Promise.all(
    places.map(async (place) => {
      const objects = (await ifThere(Array.fromAsync(client.listAll(place)))) ?? []
      await Promise.all(objects.map((object) => remove(client, place, object)))
    }),
  )
}

async function remove(client: KubeClient, place: Resource, object: KubeObject): Promise<void> {
  const released = mergePatch({ metadata: { finalizers: null } })
  if (object.metadata.finalizers) await ifThere(client.patch(place, keyOf(object), released))
  await ifThere(client.remove(place, keyOf(object)))
}
