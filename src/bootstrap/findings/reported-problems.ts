import type { Condition, KubeObject, Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import type { BootstrapProblem } from '../manifests/manifest.ts'
import { describeObject } from '../manifests/manifest.ts'
import type { Attribution } from './attribution.ts'

/** An object with conditions. */
export interface Reporting extends KubeObject {
  status?: { conditions?: Condition[] }
}

export const textOf = ({ message, reason, type }: Condition): string => message || reason || type

/** The problems that objects report about themselves. */
export function reportedProblems(
  resource: Resource,
  objects: readonly Reporting[],
  files: Attribution,
  failed: (conditions: readonly Condition[]) => readonly Condition[],
): BootstrapProblem[] {
  return objects.flatMap((object) =>
    failed(object.status?.conditions ?? []).map((condition) =>
      problemOf(resource, object, textOf(condition).replace(/^Error: /, ''), files),
    ),
  )
}

/** A problem of one object, in its file. */
export function problemOf(
  resource: Resource,
  object: KubeObject,
  text: string,
  files: Attribution,
): BootstrapProblem {
  const what = describeObject(resource, keyOf(object))
  const file = files.fileOf(what)
  return { message: `${what}: ${text}`, ...(file !== undefined && { file }) }
}
