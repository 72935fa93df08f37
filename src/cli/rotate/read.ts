import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { TrustRotation } from '../../api/resources.ts'
import * as api from '../../api/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { KubeObject, Resource } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere, isForbidden, isNotFound } from '@machinist/kube/failure'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { chosen } from '../../views/rotate/choose.ts'
import type { RotationFacts } from '../../views/rotate/facts.ts'
import { eventsOf } from './sight.ts'

/** The TrustRotation that is meant. What is missing for that is InvalidInput. */
export async function readRotation(
  client: KubeClient,
  name: string | undefined,
): Promise<TrustRotation> {
  try {
    return chosen(await Array.fromAsync(client.listAll(api.trustRotations)), name)
  } catch (error) {
    if (isNotFound(error)) throw new InvalidInput(notInstalled)
    if (!isForbidden(error)) throw error
    throw new InvalidInput(
      'you may not list TrustRotations: ask for a role with get, list and watch of trustrotations.machinist.dev',
    )
  }
}

const notInstalled =
  'this cluster does not know TrustRotations: install them with machinist crds | kubectl apply --server-side -f -'

/** Everything about it that may be read; who may not read nodes is told less. */
export async function readFacts(
  client: KubeClient,
  rotation: Readonly<TrustRotation>,
  now: number,
): Promise<RotationFacts> {
  const [machines, nodeTrusts, pools, delivery, events] = await Promise.all([
    readable(client, nodes),
    readable(client, api.nodeTrusts),
    readable(client, api.machineConfigPools),
    readDelivery(client),
    readable(client, coreEvents, eventsOf(rotation.metadata.name)),
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

/** Undefined: it may not be read, or the cluster does not have such. */
async function readable<T extends KubeObject>(
  client: KubeClient,
  place: Resource<T>,
  fields?: string,
): Promise<T[] | undefined> {
  const selection = fields === undefined ? {} : { fields }
  return await unlessForbidden(Array.fromAsync(client.listAll(place, selection)))
}

async function readDelivery(client: KubeClient): Promise<CertificateDelivery> {
  const key = { name: names.controllerConfig }
  const found = await unlessForbidden(client.getMetadata(api.controllerConfigs, key))
  const said = found?.metadata.annotations?.[ownControllerConfigAnnotations.certificateDelivery]
  return said === 'rendered' ? 'rendered' : 'direct'
}

function unlessForbidden<T>(asked: Promise<T>): Promise<T | undefined> {
  return ifThere(asked).catch((error: unknown) => {
    if (isForbidden(error)) return undefined
    throw error
  })
}
