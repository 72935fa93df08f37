import { isObject, sameJson } from '@machinist/core/encoding/json'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { specOf, statusOf, textOf } from '../../kinds/fields.ts'
import type { NodeWrite } from './node-write.ts'

const mirrorAnnotation = 'kubernetes.io/config.mirror'

export function podProblem(write: NodeWrite): string | undefined {
  const { subresource } = write.request
  const check = podChecks[subresource ?? '']
  if (check) return check(write)
  return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`
}

const podChecks: Readonly<Record<string, (write: NodeWrite) => string | undefined>> = {
  '': ({ node, request, find }) => {
    const { operation, object, before } = request
    if (operation === 'CREATE' && object) return mirrorProblem(node, object, find)
    if (operation === 'DELETE' && before) {
      if (isBoundTo(node, before)) return undefined
      return `node "${node}" can only delete pods with spec.nodeName set to itself`
    }
    return `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`
  },

  status: ({ node, request: { object, before } }) => {
    if (!object || !before) return undefined
    if (!isBoundTo(node, before)) {
      return `node "${node}" can only update pod status for pods with spec.nodeName set to itself`
    }
    if (!sameJson(object.metadata.labels ?? {}, before.metadata.labels ?? {})) {
      return `node "${node}" cannot update labels through pod status`
    }
    const claims = 'resourceClaimStatuses'
    if (!sameJson(statusOf(object)[claims] ?? [], statusOf(before)[claims] ?? [])) {
      return `node "${node}" cannot update resource claim statues`
    }
    return undefined
  },

  eviction: ({ node, request: { namespace, name }, find }) =>
    isBoundTo(node, find('Pod', namespace, name))
      ? undefined
      : `node ${node} can only evict pods with spec.nodeName set to itself`,
}

/**
 * A kubelet creates only mirror pods, and those must not reference other objects: otherwise it could read Secrets
 * through them.
 */
function mirrorProblem(node: string, pod: ApiObject, find: NodeWrite['find']): string | undefined {
  const { annotations = {}, ownerReferences = [] } = pod.metadata
  const spec = specOf(pod)
  if (!(mirrorAnnotation in annotations)) {
    return `pod does not have "${mirrorAnnotation}" annotation, node "${node}" can only create mirror pods`
  }
  if (!isBoundTo(node, pod)) {
    return `node "${node}" can only create pods with spec.nodeName set to itself`
  }
  const problem = ownerProblem(node, ownerReferences, find)
  if (problem !== undefined) return problem
  const reference = references.find(([, keys]) => refersTo(spec, keys))
  return reference && `node "${node}" can not create pods that reference ${reference[0]}`
}

function ownerProblem(
  node: string,
  ownerReferences: readonly OwnerReference[],
  find: NodeWrite['find'],
): string | undefined {
  if (ownerReferences.length > 1) {
    return `node "${node}" can only create pods with a single owner reference set to itself`
  }
  const [owner] = ownerReferences
  const isOwn = owner?.apiVersion === 'v1' && owner.kind === 'Node' && owner.name === node
  if (!owner || !isOwn) {
    return `node "${node}" can only create pods with an owner reference set to itself`
  }
  if (owner.controller !== true) {
    return `node "${node}" can only create pods with a controller owner reference set to itself`
  }
  if (owner.blockOwnerDeletion === true) {
    return `node "${node}" must not set blockOwnerDeletion on an owner reference`
  }
  const { uid } = find('Node', '', node).metadata
  if (owner.uid === uid) return undefined
  return `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`
}

const references: readonly (readonly [what: string, keys: ReadonlySet<string>])[] = [
  ['a service account', new Set(['serviceAccountName'])],
  [
    'secrets',
    new Set([
      'imagePullSecrets',
      'nodePublishSecretRef',
      'secret',
      'secretKeyRef',
      'secretName',
      'secretRef',
    ]),
  ],
  ['configmaps', new Set(['configMap', 'configMapKeyRef', 'configMapRef'])],
  ['clustertrustbundles', new Set(['clusterTrustBundle'])],
  ['persistentvolumeclaims', new Set(['persistentVolumeClaim'])],
]

function refersTo(value: unknown, keys: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.some((each) => refersTo(each, keys))
  if (!isObject(value)) return false
  return Object.entries(value).some(
    ([key, inner]) => (keys.has(key) && isSet(inner)) || refersTo(inner, keys),
  )
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)

/** A kubelet requests tokens only for pods that run on its Node. */
export function tokenProblem({ node, request, find }: NodeWrite): string | undefined {
  const { operation, subresource, object, namespace } = request
  if (operation !== 'CREATE' || subresource !== 'token' || !object) return undefined
  const bound = specOf(object)['boundObjectRef']
  const { apiVersion, kind, name, uid } = isObject(bound) ? bound : {}
  const podName = textOf(name)
  if (apiVersion !== 'v1' || kind !== 'Pod' || podName === '') {
    return 'node requested token not bound to a pod'
  }
  if (textOf(uid) === '') return 'node requested token with a pod binding without a uid'
  const pod = find('Pod', namespace, podName)
  if (uid !== pod.metadata.uid) {
    return `the UID in the bound object reference (${textOf(uid)}) does not match the UID in record. The object might have been deleted and then recreated`
  }
  if (isBoundTo(node, pod)) return undefined
  return 'node requested token bound to a pod scheduled on a different node'
}

const isBoundTo = (node: string, pod: ApiObject): boolean => specOf(pod)['nodeName'] === node
