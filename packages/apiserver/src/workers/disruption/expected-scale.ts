import { isObject } from '@machinist/core/encoding/json'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { ServedKind } from '../../kinds/served-kind.ts'
import { objectKey } from '../../objects/object-key.ts'
import { readScale } from '../../verbs/scale.ts'
import { toServedObject } from '../../objects/stored-object.ts'
import type { VerbContext } from '../../verbs/verb-context.ts'
import type { IndexedPod } from './pod-index.ts'
import { controllerOf } from './pod-index.ts'
import { CannotCount } from './share-of.ts'

/** The number of pods that the controllers of these pods expect. Pods without a controller do not count. */
export function expectedScale(
  context: VerbContext,
  namespace: string,
  pods: readonly IndexedPod[],
): number {
  const scales = new Map<string, number>()
  const seen = new Set<string>()
  for (const { name, controller } of pods) {
    if (!controller || seen.has(controller.uid)) continue
    seen.add(controller.uid)
    const found = scaleOf(context, namespace, controller)
    if (!found) throw new CannotCount(`found no controllers for pod ${JSON.stringify(name)}`)
    scales.set(found.uid, found.replicas)
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0)
}

interface Scale {
  readonly uid: string
  readonly replicas: number
}

function scaleOf(
  context: VerbContext,
  namespace: string,
  controller: OwnerReference,
): Scale | undefined {
  return deploymentScale(context, namespace, controller) ?? ownScale(context, namespace, controller)
}

/** During a rollout, pods belong to two ReplicaSets; the Deployment has the expected number. */
function deploymentScale(
  context: VerbContext,
  namespace: string,
  controller: OwnerReference,
): Scale | undefined {
  if (!isWorkload(controller, 'ReplicaSet')) return undefined
  const replicaSet = objectOf(context, namespace, kindNamed(context, 'ReplicaSet'), controller)
  const owner = replicaSet && controllerOf(replicaSet)
  if (!owner || !isWorkload(owner, 'Deployment')) return undefined
  const deployment = objectOf(context, namespace, kindNamed(context, 'Deployment'), owner)
  const spec = isObject(deployment?.['spec']) ? deployment['spec'] : {}
  return deployment && { uid: owner.uid, replicas: Number(spec['replicas'] ?? 0) }
}

/** The `scale` subresource of the controller, for any kind. */
function ownScale(
  context: VerbContext,
  namespace: string,
  controller: OwnerReference,
): Scale | undefined {
  const [version, group = ''] = controller.apiVersion.split('/').reverse()
  const kind = context.kinds.findKind(group, version!, controller.kind)
  if (!kind) {
    throw new CannotCount(
      `no matches for kind "${controller.kind}" in version "${controller.apiVersion}"`,
    )
  }
  if (!kind.subresources.some(({ name }) => name === 'scale')) {
    const resource = group === '' ? kind.plural : `${kind.plural}.${group}`
    throw new CannotCount(`${resource} does not implement the scale subresource`)
  }
  if (!objectOf(context, namespace, kind, controller)) return undefined
  const scale = readScale(context, { kind, namespace, name: controller.name })
  const { replicas } = scale['spec'] as { replicas?: unknown }
  return { uid: controller.uid, replicas: Number(replicas ?? 0) }
}

const isWorkload = ({ apiVersion, kind }: OwnerReference, expected: string): boolean =>
  kind === expected && /^(apps|extensions)\//.test(apiVersion)

const kindNamed = ({ kinds }: VerbContext, kind: string): ServedKind =>
  kinds.findKind('apps', 'v1', kind)!

/** The object with this uid, not another one of the same name. */
function objectOf(
  { store }: VerbContext,
  namespace: string,
  kind: ServedKind,
  { name, uid }: OwnerReference,
): ApiObject | undefined {
  const stored = store.get(objectKey(kind, namespace, name))
  const object = stored && toServedObject(kind, stored)
  return object?.metadata.uid === uid ? object : undefined
}
