import type { Resource } from '@machinist/core/objects/resource'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import {
  clusterImagePolicies,
  clusterVersions,
  imagePolicies,
  images,
} from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons } from '../../api/reasons.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { containerRuntimeOf } from '../template/variables.ts'
import type { Problem } from './model/problem.ts'
import { ifReadable } from './model/stored-files.ts'
import type { ImageObjects } from './node-files.ts'

/* Problems of the cluster, beside those of single objects. */

/** Treating the objects of an unserved kind as deleted could lift restrictions on nodes, or cut nodes off from images. */
export function unservedKindProblem({ kind }: Resource): Problem {
  return {
    reason: lostReasons.get(kind) ?? reasons.badMirrors,
    effect: 'held',
    message: `the API server no longer serves ${kind}, so its objects are unknown; install the CRD again, or restart this controller if the CRD was removed on purpose`,
  }
}

const lostReasons: ReadonlyMap<string, string> = new Map([
  [images.kind, reasons.badRegistries],
  [clusterVersions.kind, reasons.badRelease],
  [clusterImagePolicies.kind, reasons.badPolicy],
  [imagePolicies.kind, reasons.badPolicy],
])

/** containerd ignores these settings: a user who blocks a registry must know that pods still pull from it. */
export function containerdProblems(
  objects: ImageObjects,
  controllerConfig: Readonly<ControllerConfig> | undefined,
): Problem[] {
  const { image, digestSets, tagSets, contentPolicies, contentSourcePolicies } = objects
  const { clusterPolicies, policies } = objects
  const lists = Object.values(image.spec?.registrySources ?? {}).flat()
  const sets = [digestSets, tagSets, contentPolicies, contentSourcePolicies].flat()
  const hasSettings = [lists, sets, clusterPolicies, policies].flat().length > 0
  // The template controller reports an invalid annotation.
  const runtime = controllerConfig && ifReadable(() => containerRuntimeOf(controllerConfig))
  if (!hasSettings || runtime !== 'containerd') return []
  const message = `nodes run containers with containerd, which ignores the image registry settings of the cluster: they apply only to other programs that pull images on the node; configure containerd with a MachineConfig, or use CRI-O (annotation ${ownControllerConfigAnnotations.containerRuntime} of ControllerConfig ${names.controllerConfig})`
  return [{ reason: reasons.notRead, effect: 'reported', message }]
}
