import { InvalidInput } from '@machinist/core/errors'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isForbidden, isNotFound } from '@machinist/kube/failure'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { ownControllerConfigAnnotations } from '../../../api/annotations.ts'
import { names } from '../../../api/names.ts'
import type { TrustRotation } from '../../../api/kinds/resources.ts'
import * as api from '../../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../../api/trust/items.ts'
import { chooseRotation } from '../../../views/rotate/choose.ts'
import type { RotationFacts } from '../../../views/rotate/facts.ts'
import { eventSelector } from './follow.ts'

/** Reads the requested TrustRotation. Throws InvalidInput if that is not possible. */
export async function readRotation(
  client: KubeClient,
  name: string | undefined,
): Promise<TrustRotation> {
  try {
    return chooseRotation(await Array.fromAsync(client.listAll(api.trustRotations)), name)
  } catch (error) {
    if (isNotFound(error)) throw new InvalidInput(notInstalled)
    if (!isForbidden(error)) throw error
    throw new InvalidInput(
      'no permission to list TrustRotations: a role with the verbs get, list and watch for trustrotations.machinist.dev is required',
    )
  }
}

const notInstalled =
  'this cluster has no CustomResourceDefinition for TrustRotations: install it with machinist crds | kubectl apply --server-side -f -'

/** Reads the facts of a rotation, without kinds that the user has no permission to read. */
export async function readRotationFacts(
  client: KubeClient,
  rotation: Readonly<TrustRotation>,
  now: number,
): Promise<RotationFacts> {
  const [machines, nodeTrusts, pools, delivery, events] = await Promise.all([
    listReadable(client, nodes),
    listReadable(client, api.nodeTrusts),
    listReadable(client, api.machineConfigPools),
    readDelivery(client),
    listReadable(client, coreEvents, eventSelector(rotation.metadata.name)),
  ])
  return {
    now,
    rotation,
    ...(machines && { nodes: machines }),
    ...(nodeTrusts && { nodeTrusts }),
    pools: pools ?? [],
    delivery,
    ...(events && { events }),
  }
}

/** Undefined without permission, or if the kind does not exist. */
async function listReadable<T extends KubeObject>(
  client: KubeClient,
  place: Resource<T>,
  fields?: string,
): Promise<T[] | undefined> {
  const selection = fields === undefined ? {} : { fields }
  return await ignoreForbidden(Array.fromAsync(client.listAll(place, selection)))
}

async function readDelivery(client: KubeClient): Promise<CertificateDelivery> {
  const key = { name: names.controllerConfig }
  const found = await ignoreForbidden(client.getMetadata(api.controllerConfigs, key))
  const delivery = found?.metadata.annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return delivery === 'rendered' ? 'rendered' : 'direct'
}

function ignoreForbidden<T>(request: Promise<T>): Promise<T | undefined> {
  return ignoreNotFound(request).catch((error: unknown) => {
    if (isForbidden(error)) return undefined
    throw error
  })
}
