/** The fields that every Kubernetes object has. */
export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

export interface ObjectMeta {
  name: string
  namespace?: string
  generateName?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  managedFields?: ManagedFieldsEntry[]
}

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry {
  manager?: string
  operation?: string
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: Record<string, unknown>
  subresource?: string
}

export interface ListMeta {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

/** An entry of `status.conditions`. */
export interface Condition {
  type: string
  status: ConditionStatus
  reason?: string
  message?: string
  lastTransitionTime?: string | null
  observedGeneration?: number
}

export type ConditionStatus = 'True' | 'False' | 'Unknown'

/** A reference to another object. */
export interface ObjectReference {
  apiVersion?: string
  kind?: string
  namespace?: string
  name?: string
  uid?: string
  resourceVersion?: string
  fieldPath?: string
}

/** The API resource of a kind. The type parameter is the type of its objects; `objects` is never set. */
export interface Resource<T extends KubeObject = KubeObject> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly objects?: T
}

export interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

export function resource<T extends KubeObject>(place: Omit<Resource<T>, 'objects'>): Resource<T> {
  return place
}

/** `machineconfiguration.openshift.io/v1`, or `v1` for the core group. */
export function apiVersionOf(place: Resource): string {
  return place.group === '' ? place.version : `${place.group}/${place.version}`
}

export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata
  return namespace === undefined ? { name } : { namespace, name }
}

/** A reference to an object. The kind is taken from the resource, because objects of a list lack it. */
export function referenceTo(place: Resource, object: Readonly<KubeObject>): ObjectReference {
  const { uid } = object.metadata
  const apiVersion = apiVersionOf(place)
  return { apiVersion, kind: place.kind, ...keyOf(object), ...(uid !== undefined && { uid }) }
}

/** `namespace/name`, or `name` for cluster-scoped objects. */
export function keyText(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`
}

/** The object without managedFields, which are often half of its size. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata.managedFields === undefined) return object
  // A copy, because `delete` would turn the object into a slower and larger dictionary.
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
