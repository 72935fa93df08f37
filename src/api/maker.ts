import type { ObjectMeta } from '@machinist/core/objects/resource'
import { annotations } from './annotations.ts'
import { names } from './names.ts'

/** The creator of a MachineConfig, from its annotation `generated-by-controller-version`. */
export type ConfigMaker =
  /** No controller: a user, the installer, another tool. */
  | { readonly type: 'user' }
  | { readonly type: 'machinist'; readonly version: string }
  /** MCO or another controller. `version` is the value of the annotation; MCO writes a git commit. */
  | { readonly type: 'other'; readonly version: string }

const prefix = 'machinist-'

/** Older versions of Machinist wrote their version without the prefix. It cannot be confused with a git commit. */
const bareVersion = /^\d+\.\d+\.\d+(?:[-+].*)?$/

const isOwn = (version: string): boolean => version.startsWith(prefix) || bareVersion.test(version)

/** The annotation value that controllers of this version write. */
export const machineConfigBuild = (version: string): string => prefix + version

export function makerOf({
  metadata,
}: {
  readonly metadata: Pick<ObjectMeta, 'annotations'>
}): ConfigMaker {
  const version = metadata.annotations?.[annotations.generatedByController] ?? ''
  if (version === '') return { type: 'user' }
  return { type: isOwn(version) ? 'machinist' : 'other', version }
}

/** MCO writes a git commit. */
const commit = /^[0-9a-f]{12,64}$/

/** The name of the other controller in messages: `MCO of release 4.16.11 (controller build 5b1f…)`. */
export function describeOtherMaker({
  metadata,
}: {
  readonly metadata: Pick<ObjectMeta, 'annotations'>
}): string {
  const version = metadata.annotations?.[annotations.generatedByController] ?? ''
  const release = metadata.annotations?.[annotations.releaseImageVersion]
  const who = commit.test(version) ? 'MCO' : 'another controller'
  return `${who}${release ? ` of release ${release}` : ''} (controller build ${version})`
}

/** The version of the other controller; undefined if a user or Machinist created the MachineConfig. */
export function otherMakerOf(object: Parameters<typeof makerOf>[0]): string | undefined {
  const maker = makerOf(object)
  return maker.type === 'other' ? maker.version : undefined
}

interface Annotated {
  readonly metadata: Pick<ObjectMeta, 'annotations'>
}

/**
 * The version of the other operator that last wrote a ControllerConfig; undefined if it was Machinist, or no operator. MCO
 * writes a value such as `v4.16.0-202409051837.p0` with every sync, Machinist its bare version. Machinist's own annotations prove
 * nothing, because MCO preserves them.
 */
export function otherOperatorOf(controllerConfig: Annotated | undefined): string | undefined {
  const version = controllerConfig?.metadata.annotations?.[annotations.generatedByVersion] ?? ''
  return version === '' || isOwn(version) ? undefined : version
}

/** Whether another operator manages the cluster. If so, Machinist writes nothing that the other operator might write. */
export function isManagedByOtherOperator(cache: {
  get(name: string): Annotated | undefined
}): boolean {
  return otherOperatorOf(cache.get(names.controllerConfig)) !== undefined
}

/** MCO writes a git tag of OpenShift. */
const openshiftTag = /^(?:v|machine-config-(?:daemon|operator)-)\d/

/** The name of the other operator in messages: `MCO of release 4.16.11 (operator build v4.16.0-…)`. */
export function describeOtherOperator({ metadata }: Annotated): string {
  const version = otherOperatorOf({ metadata }) ?? ''
  const release = metadata.annotations?.[annotations.releaseImageVersion]
  const who = openshiftTag.test(version) ? 'MCO' : 'another operator'
  return `${who}${release ? ` of release ${release}` : ''} (operator build ${version})`
}
