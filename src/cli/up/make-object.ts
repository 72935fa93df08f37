import type { KubeObject, Resource } from '../../base/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isAlreadyExists } from '../../kube/failure.ts'

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
