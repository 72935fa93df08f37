import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import type { RotationWrite } from '../decide/plan-certificates.ts'
import type { RotationObjects } from '../facts/objects.ts'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'
import type { StoreContext } from './store.ts'
import { StaleObject } from './store.ts'

/** The objects that the decision for a write is based on. */
interface Basis {
  readonly secrets: readonly (Readonly<Secret> | undefined)[]
  readonly configMaps: readonly (Readonly<ConfigMap> | undefined)[]
  /** Secrets that must not be there. */
  readonly absent?: readonly ObjectKey[]
}

/**
 * Throws StaleObject unless the API server has the same objects as the caches. Caches may be outdated, and after a restore of
 * etcd they show a lost state until they list again: a leaf certificate could be signed by a CA that the restored bundle lacks,
 * and a bundle could lose a CA that a restored Secret needs.
 */
export async function confirmBasis(
  write: RotationWrite,
  found: RotationObjects,
  context: StoreContext & { readonly rotation: Rotation },
): Promise<void> {
  const basis = basisOf(write, found, context.rotation)
  for (const secret of basis.secrets) await confirm(secrets, secret, getSecret, context)
  for (const map of basis.configMaps) await confirm(configMaps, map, listConfigMap, context)
  for (const key of basis.absent ?? []) await confirmAbsent(key, context)
}

function basisOf(write: RotationWrite, found: RotationObjects, rotation: Rotation): Basis {
  const { signer, bundle, published, targets, userData } = found
  // Replacing an object checks its version, and labels and annotations depend on nothing else.
  if ('action' in write && write.action === 'set-metadata') return { secrets: [], configMaps: [] }
  switch (write.type) {
    case 'signer':
    case 'bundle': {
      // A leaf certificate that the cache does not have yet needs the CA that signed it, and its key.
      const absent = rotation.targets.filter((_, i) => !targets[i])
      return { secrets: [signer, ...targets], configMaps: [bundle], absent }
    }
    case 'published':
      return { secrets: [], configMaps: [bundle, published[write.index]] }
    case 'target':
      return {
        secrets: [signer, targets[write.index]],
        configMaps: [bundle, ...published, userData],
      }
  }
}

type Read<T> = (object: Readonly<T>, context: StoreContext) => Promise<T | undefined>

const getSecret: Read<Secret> = (object, { client, signal }) =>
  ignoreNotFound(client.get(secrets, keyOf(object), { signal }))

/** A list of one, as the cache reads it: the signer has no permission to get ConfigMaps, and needs none. */
const listConfigMap: Read<ConfigMap> = async ({ metadata }, { client, signal }) => {
  const { namespace, name } = metadata
  const scope = { namespace: namespace!, fields: `metadata.name=${name}` }
  return (await client.list(configMaps, { ...scope, signal })).items[0]
}

async function confirmAbsent(
  { namespace, name }: ObjectKey,
  { client, signal }: StoreContext,
): Promise<void> {
  const key = { namespace: namespace!, name }
  const live = await ignoreNotFound(client.get(secrets, key, { signal }))
  if (live) throw new StaleObject(`${secrets.kind} ${keyText(key)}`)
}

/** An object to be written that is not in the cache is created, and that fails where there is one. */
async function confirm<T extends Secret | ConfigMap>(
  resource: Resource<T>,
  cached: Readonly<T> | undefined,
  read: Read<T>,
  context: StoreContext,
): Promise<void> {
  if (!cached) return
  const live = await read(cached, context)
  if (!live || !isSame(live, cached)) {
    throw new StaleObject(`${resource.kind} ${keyText(keyOf(cached))}`)
  }
}

/** The content as well: after a restore of etcd, revisions may be given a second time. */
function isSame(live: Readonly<Content>, cached: Readonly<Content>): boolean {
  const { uid, resourceVersion } = live.metadata
  return (
    uid === cached.metadata.uid &&
    resourceVersion === cached.metadata.resourceVersion &&
    sameJson(live.data, cached.data)
  )
}

type Content = KubeObject & { readonly data?: unknown }
