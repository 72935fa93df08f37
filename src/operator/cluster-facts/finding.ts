import type { ObjectReference } from '@machinist/core/objects/resource'
import { configMaps } from '@machinist/kube/kinds/core'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { describeFactsKey } from '../inputs/cluster-facts.ts'
import type { ClusterKind } from '../inputs/cluster-reading.ts'
import type { InputProblem } from '../inputs/problem.ts'

/** The result of one input. With a problem and without a value, the last valid value stays. */
export interface Finding {
  readonly spec?: ControllerConfigChange['spec']
  readonly annotations?: ControllerConfigChange['annotations']
  readonly problem?: InputProblem
}

export function inputProblem(
  reason: string,
  message: string,
  about: ObjectReference | undefined,
): InputProblem {
  return { reason, message, ...(about && { about }) }
}

/** For messages: the object of the API, or the key of the ConfigMap that replaces it. */
export function describeSource(kind: ClusterKind, source: ObjectReference): string {
  return source.kind === configMaps.kind ? describeFactsKey(kind) : `${source.kind} ${source.name}`
}
