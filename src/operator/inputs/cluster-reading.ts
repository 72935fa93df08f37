import type { ObjectReference, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { names } from '../../api/names.ts'
import type { DNS, Image, Infrastructure, Network, Proxy } from '../../api/openshift-config.ts'
import { clusterShapes } from './cluster-shapes.ts'
import { shapeProblem } from './object-shape.ts'
import type { InputProblem } from './problem.ts'
import { problemReasons } from './problem.ts'

/** The type of each input; the names are also keys of the ConfigMap. */
export interface ClusterKinds {
  readonly infrastructure: Infrastructure
  readonly network: Network
  readonly proxy: Proxy
  readonly dns: DNS
  readonly image: Image
}

export type ClusterKind = keyof ClusterKinds

/** The current value of an input. Absent: neither the API nor the ConfigMap has it, and a default applies. */
export type ClusterReading<T> =
  | { readonly type: 'given'; readonly object: T; readonly source: ObjectReference }
  | { readonly type: 'absent' }
  | { readonly type: 'invalid'; readonly problem: InputProblem }

export interface ValueOrigin {
  /** For messages. */
  readonly where: string
  readonly source: ObjectReference
}

/** Checks a value and converts it to an object of the kind. */
export function readClusterValue<Kind extends ClusterKind>(
  kind: Kind,
  resource: Resource<ClusterKinds[Kind]>,
  value: unknown,
  { where, source }: ValueOrigin,
): ClusterReading<ClusterKinds[Kind]> {
  const detail = shapeProblem(value, clusterShapes[kind])
  if (detail !== undefined) {
    const message = `${where}: ${detail}`
    return { type: 'invalid', problem: { reason: problemReasons.badValue, message, about: source } }
  }
  const { spec, status } = value as { spec?: object | null; status?: object | null }
  const object = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { name: names.clusterConfig },
    spec: spec ?? {},
    ...(status && { status }),
  }
  // All fields that the operator reads are checked.
  return { type: 'given', object: object as unknown as ClusterKinds[Kind], source }
}
