import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'

/** An object of the input. */
export interface Manifest {
  readonly object: ManifestObject
  readonly resource: Resource
  /** The path of its file. */
  readonly file: string
}

/** Fields that are not part of every object; the API server checks them. */
export interface ManifestObject extends KubeObject {
  readonly spec?: unknown
  readonly status?: unknown
}

/** Why nothing can be rendered. */
export interface BootstrapProblem {
  /** The file that causes it, if that is known. */
  readonly file?: string
  /** The object, the field, the problem and what to do. Never a secret. */
  readonly message: string
}

export const problemText = ({ file, message }: BootstrapProblem): string =>
  file === undefined ? message : `${file}: ${message}`

/** `ConfigMap openshift-config/user-ca-bundle`: the name of an object in messages, as controllers write it. */
export const describeObject = ({ kind }: Resource, key: ObjectKey): string =>
  `${kind} ${keyText(key)}`

export const describeManifest = ({ resource, object }: Manifest): string =>
  describeObject(resource, keyOf(object))
