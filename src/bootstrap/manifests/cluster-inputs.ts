import type { ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyText, keyOf } from '@machinist/core/objects/resource'
import { configMaps } from '@machinist/kube/kinds/core'
import { configMaps as known, clusterFacts, names } from '../../api/names.ts'
import * as openshift from '../../api/openshift-config.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import type { Release } from '../../api/validation/extensions.ts'
import { openShiftKinds } from './input-kinds.ts'
import type { BootstrapProblem, Manifest } from './manifest.ts'
import { describeManifest, describeObject } from './manifest.ts'

/** What kind of cluster the manifests describe. */
export interface ClusterInputs {
  /** Whether the cluster is OpenShift, so that it serves all kinds of OpenShift. */
  readonly isOpenShift: boolean
  /** Given instead of the objects from which the operator writes it. */
  readonly controllerConfig?: ControllerConfig
  readonly problems: readonly BootstrapProblem[]
}

export function clusterInputs(manifests: readonly Manifest[], release: Release): ClusterInputs {
  const isOpenShift = manifests.some(({ resource }) => openShiftKinds.includes(resource))
  const given = manifests.filter(({ resource }) => resource === controllerConfigs)
  const [controllerConfig] = given.map(({ object }) => object as ControllerConfig)
  return {
    isOpenShift,
    ...(controllerConfig && { controllerConfig }),
    problems: [
      ...given.flatMap((one) => [...nameProblems(one), ...conflicts(one, manifests)]),
      ...(isOpenShift ? missingObjects(manifests, given.length > 0, release) : []),
    ],
  }
}

function nameProblems(manifest: Manifest): BootstrapProblem[] {
  if (manifest.object.metadata.name === names.controllerConfig) return []
  const message = `${describeManifest(manifest)}: metadata.name must be ${names.controllerConfig}`
  return [{ file: manifest.file, message }]
}

/** Objects from which the operator writes the cluster facts of the ControllerConfig. */
function isSource({ resource, object }: Manifest): boolean {
  const { infrastructures, networks, proxies, dnses } = openshift
  if ([infrastructures, networks, proxies, dnses].some((one) => one === resource)) return true
  const named = [clusterFacts, known.images, known.osImage].map(textOf)
  return resource === configMaps && named.includes(keyText(keyOf(object)))
}

const textOf = ({ namespace, name }: ObjectKey): string =>
  keyText({ name, ...(namespace !== undefined && { namespace }) })

/** In a cluster the operator overwrites the ControllerConfig with these objects, so the two may differ. */
function conflicts(controllerConfig: Manifest, manifests: readonly Manifest[]): BootstrapProblem[] {
  const sources = manifests.filter(isSource)
  if (sources.length === 0) return []
  const found = sources.map((one) => `${describeManifest(one)} (${one.file})`).join(', ')
  const message = `${describeManifest(controllerConfig)} and objects from which the operator writes it: ${found}; remove the ControllerConfig, or these objects`
  return [{ file: controllerConfig.file, message }]
}

/** Objects that every OpenShift cluster has. Without them, nodes of the bootstrap would differ from those of the cluster. */
function missingObjects(
  manifests: readonly Manifest[],
  hasControllerConfig: boolean,
  release: Release,
): BootstrapProblem[] {
  const { clusterVersions, featureGates } = openshift
  const missing = (resource: Resource, name: string, content: string): BootstrapProblem[] => {
    const isThere = manifests.some(
      (one) => one.resource === resource && one.object.metadata.name === name,
    )
    const what = describeObject(resource, { name })
    const message = `${what} is missing: it has ${content}; add it to the manifests`
    return isThere ? [] : [{ message }]
  }
  return [
    // A given ControllerConfig names the release image.
    ...(hasControllerConfig
      ? []
      : missing(clusterVersions, names.clusterVersion, 'the release image')),
    // Kubelets of 4.12 have no feature gates of the cluster.
    ...(release === '4.12'
      ? []
      : missing(featureGates, names.clusterConfig, 'the feature gates of kubelets')),
  ]
}
