import { names } from '../../api/names.ts'
import type { DNS, Image, Infrastructure, Network, Proxy } from '../../api/openshift-config.ts'
import type { ObjectReference, Resource } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'
import { clusterShapes } from './cluster-shapes.ts'
import { misshapen } from './object-shape.ts'
import type { InputProblem } from './problem.ts'
import { problemReasons } from './problem.ts'

/** Names of inputs and of keys in the ConfigMap, and what each gives. */
export interface ClusterKinds {
  readonly infrastructure: Infrastructure
  readonly network: Network
  readonly proxy: Proxy
  readonly dns: DNS
  readonly image: Image
}

export type ClusterKind = keyof ClusterKinds

/** What an input says now. Nothing: neither the API nor the ConfigMap knows of it, and a default may hold. */
export type Reading<T> =
  | { readonly is: 'given'; readonly object: T; readonly source: ObjectReference }
  | { readonly is: 'nothing' }
  | { readonly is: 'bad'; readonly problem: InputProblem }

export interface Origin {
  /** For messages. */
  readonly where: string
  readonly source: ObjectReference
}

/** What can be made of a value that somebody gave as such an object. */
export function readingOf<Kind extends ClusterKind>(
  kind: Kind,
  resource: Resource<ClusterKinds[Kind]>,
  value: unknown,
  { where, source }: Origin,
): Reading<ClusterKinds[Kind]> {
  const wrong = misshapen(value, clusterShapes[kind])
  if (wrong !== undefined) {
    const message = `${where}: ${wrong}`
    return { is: 'bad', problem: { reason: problemReasons.badValue, message, about: source } }
  }
  const { spec, status } = value as { spec?: object | null; status?: object | null }
  const object = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { name: names.clusterConfig },
    spec: spec ?? {},
    ...(status && { status }),
  }
  // The shape is checked as far as anybody reads it.
  return { is: 'given', object: object as unknown as ClusterKinds[Kind], source }
}
