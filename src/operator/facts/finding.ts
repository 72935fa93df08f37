import type { ObjectReference } from '@machinist/core/resource'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { configMaps } from '@machinist/kube/kinds/core'
import { whereIs } from '../inputs/cluster-facts.ts'
import type { ClusterKind } from '../inputs/cluster-reading.ts'
import type { InputProblem } from '../inputs/problem.ts'

/** What one input comes to. Where there is a problem and no value, what was good last stays. */
export interface Finding {
  readonly spec?: ControllerConfigChange['spec']
  readonly annotations?: ControllerConfigChange['annotations']
  readonly problem?: InputProblem
}

export function problem(
  reason: string,
  message: string,
  about: ObjectReference | undefined,
): InputProblem {
  return { reason, message, ...(about && { about }) }
}

/** For messages: the object of the API, or the key of the ConfigMap that says it instead. */
export function whereSaid(kind: ClusterKind, source: ObjectReference): string {
  return source.kind === configMaps.kind ? whereIs(kind) : `${source.kind} ${source.name}`
}
