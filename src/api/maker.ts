import type { ObjectMeta } from '@machinist/core/resource'
import { annotations } from './annotations.ts'
import { names } from './names.ts'

/** Who made a MachineConfig, by its annotation `generated-by-controller-version`. */
export type ConfigMaker =
  /** No controller: a user, the installer, another tool. */
  | { readonly type: 'user' }
  | { readonly type: 'machinist'; readonly version: string }
  /** MCO, or any other controller. `version` is what it wrote; MCO writes a git commit. */
  | { readonly type: 'other'; readonly version: string }

const prefix = 'machinist-'

/** Versions before the prefix existed wrote their bare version, which no git commit looks like. */
const bareVersion = /^\d+\.\d+\.\d+(?:[-+].*)?$/

const isOwn = (version: string): boolean => version.startsWith(prefix) || bareVersion.test(version)

/** The value that controllers of this version of Machinist write. */
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

/** A git commit, as MCO writes it. */
const commit = /^[0-9a-f]{12,64}$/

/** Another controller as messages name it: `MCO of release 4.16.11 (controller build 5b1f…)`. */
export function otherMakerInWords({
  metadata,
}: {
  readonly metadata: Pick<ObjectMeta, 'annotations'>
}): string {
  const version = metadata.annotations?.[annotations.generatedByController] ?? ''
  const release = metadata.annotations?.[annotations.releaseImageVersion]
  const who = commit.test(version) ? 'MCO' : 'another controller'
  return `${who}${release ? ` of release ${release}` : ''} (controller build ${version})`
}

/** What the other controller wrote as its version; undefined where a user or Machinist made it. */
export function otherMakerOf(object: Parameters<typeof makerOf>[0]): string | undefined {
  const maker = makerOf(object)
  return maker.type === 'other' ? maker.version : undefined
}

interface Annotated {
  readonly metadata: Pick<ObjectMeta, 'annotations'>
}

/**
 * The operator that wrote a ControllerConfig last, as it wrote its own version; undefined where that is Machinist's, or where no
 * operator did. MCO writes a value such as `v4.16.0-202409051837.p0` with every sync, Machinist its bare version. Annotations of
 * Machinist are no sign: MCO keeps them when it writes the object again.
 */
export function otherOperatorOf(controllerConfig: Annotated | undefined): string | undefined {
  const version = controllerConfig?.metadata.annotations?.[annotations.generatedByVersion] ?? ''
  return version === '' || isOwn(version) ? undefined : version
}

/** Whether the cluster is left to another operator: whatever that operator may write, Machinist does not. */
export function isLeftToOtherOperator(cache: {
  get(name: string): Annotated | undefined
}): boolean {
  return otherOperatorOf(cache.get(names.controllerConfig)) !== undefined
}

/** A git tag of OpenShift, as MCO writes it. */
const openshiftTag = /^(?:v|machine-config-(?:daemon|operator)-)\d/

/** Another operator as messages name it: `MCO of release 4.16.11 (operator build v4.16.0-…)`. */
export function otherOperatorInWords({ metadata }: Annotated): string {
  const version = otherOperatorOf({ metadata }) ?? ''
  const release = metadata.annotations?.[annotations.releaseImageVersion]
  const who = openshiftTag.test(version) ? 'MCO' : 'another operator'
  return `${who}${release ? ` of release ${release}` : ''} (operator build ${version})`
}
