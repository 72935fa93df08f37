import type { KubeObject, Resource } from '../../src/base/resource.ts'
import { keyOf } from '../../src/base/resource.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { ifThere } from '../../src/kube/failure.ts'
import { mergePatch } from '../../src/kube/patch.ts'

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
