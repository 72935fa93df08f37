import type { KubeObject, Resource } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isAlreadyExists } from '@machinist/kube/failure'

/** Made once: what somebody has changed since stays as they want it. */
export async function makeObject<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  object: T,
): Promise<void> {
  try {
    await client.create(resource, object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
