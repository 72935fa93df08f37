import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import type { ObjectKey, ObjectReference } from '@machinist/core/objects/resource'
import { keyText, referenceTo } from '@machinist/core/objects/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import { configMaps as known } from '../../api/names.ts'
import { describeFactsKey } from '../inputs/cluster-facts.ts'
import type { InputProblem } from '../inputs/problem.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { ClusterFacts } from './facts.ts'
import type { Finding } from './finding.ts'
import { inputProblem } from './finding.ts'

/** Image names of the release, and the corresponding names in templates. */
const templateNames: readonly (readonly [released: string, templates: string])[] = [
  ['machineConfigOperator', 'machineConfigOperator'],
  ['machineConfigOperator', 'apiServerWatcherKey'],
  ['infraImage', 'infraImageKey'],
  ['keepalivedImage', 'keepalivedImage'],
  ['corednsImage', 'corednsImage'],
  ['haproxyImage', 'haproxyImage'],
  ['baremetalRuntimeCfgImage', 'baremetalRuntimeCfgImage'],
  ['kubeRbacProxy', 'kubeRbacProxyImage'],
  ['dockerRegistryImage', 'dockerRegistryImage'],
  // Not of MCO: the image with which new machines complete their first boot.
  ['machinistDaemon', 'machinistDaemon'],
]

/** The images that templates use: from the release, or from ConfigMap machinist-cluster. */
export function imagesFinding(facts: ClusterFacts): Finding {
  const { releaseImages, facts: values, release, isOpenShift } = facts
  if (releaseImages.type === 'invalid') return { problem: releaseImages.problem }
  if (releaseImages.type === 'given') return ofRelease(releaseImages.object, release)
  if (isOpenShift !== false) return { problem: missingProblem(known.images, isOpenShift) }
  const { images } = values
  if (images.type === 'invalid') return { problem: images.problem }
  if (images.type === 'absent') return { spec: { images: {} } }
  if (isStringMap(images.object)) return { spec: { images: images.object } }
  const message = `${describeFactsKey('images')}: must be a map of names to images`
  return { problem: inputProblem(problemReasons.badValue, message, images.source) }
}

/** The OS image: from the release, or from ConfigMap machinist-cluster. Without one, nodes keep their OS. */
export function osImageFinding(facts: ClusterFacts): Finding {
  const { osImages, release, isOpenShift } = facts
  if (osImages.type === 'invalid') return { problem: osImages.problem }
  if (osImages.type === 'given') return osOfRelease(osImages.object, release)
  if (isOpenShift !== false) return { problem: missingProblem(known.osImage, isOpenShift) }
  const { baseOSContainerImage: os, baseOSExtensionsContainerImage: extensions } = facts.facts
  if (os.type === 'invalid') return { problem: os.problem }
  if (extensions.type === 'invalid') return { problem: extensions.problem }
  const spec = {
    baseOSContainerImage: os.type === 'given' ? os.object : '',
    baseOSExtensionsContainerImage: extensions.type === 'given' ? extensions.object : undefined,
    osImageURL: undefined,
  }
  return { spec }
}

function ofRelease(configMap: Readonly<ConfigMap>, release: string | undefined): Finding {
  const about = referenceTo(configMaps, configMap)
  const { key } = known.images
  const where = `ConfigMap ${keyText(known.images)}, key ${key}`
  const images = jsonOrUndefined(configMap.data?.[key] ?? '')
  if (!isStringMap(images)) {
    const message = `${where}: must be JSON, a map of names to images`
    return { problem: inputProblem(problemReasons.unreadable, message, about) }
  }
  const other = otherReleaseProblem(where, images['releaseVersion'], release, about)
  if (other) return { problem: other }
  const named = templateNames.flatMap(([released, name]) => {
    const image = images[released]
    return image === undefined || image === '' ? [] : [[name, image] as const]
  })
  return { spec: { images: Object.fromEntries(named) } }
}

function osOfRelease({ data = {}, metadata }: Readonly<ConfigMap>, release?: string): Finding {
  const about = referenceTo(configMaps, { metadata })
  const where = `ConfigMap ${keyText(known.osImage)}`
  const other = otherReleaseProblem(where, data['releaseVersion'], release, about)
  if (other) return { problem: other }
  const { baseOSContainerImage = '', osImageURL } = data
  if (baseOSContainerImage === '' && !osImageURL) {
    const message = `${where}: neither baseOSContainerImage nor osImageURL is set; set one of them`
    return { problem: inputProblem(problemReasons.badValue, message, about) }
  }
  return {
    spec: {
      baseOSContainerImage,
      baseOSExtensionsContainerImage: data['baseOSExtensionsContainerImage'] || undefined,
      osImageURL: osImageURL || undefined,
    },
  }
}

/** In the middle of an upgrade, some objects are of the old release: nodes must not get a mix of two releases. */
function otherReleaseProblem(
  where: string,
  found: string | undefined,
  release: string | undefined,
  about: ObjectReference,
): InputProblem | undefined {
  if (release === undefined || found === release) return undefined
  const message = `${where}: it is not of release ${release}, to which the cluster is upgrading; wait for the upgrade to update it`
  return inputProblem(problemReasons.otherRelease, message, about)
}

function missingProblem(key: ObjectKey, isOpenShift: true | undefined): InputProblem {
  const what = `ConfigMap ${keyText(key)}`
  if (isOpenShift) {
    return inputProblem(
      problemReasons.missing,
      `${what} is missing: it is part of the release; restore it`,
      undefined,
    )
  }
  const message = `${what} is missing, and it is unknown whether the cluster requires it: grant the operator permission to list and watch clusterversions.config.openshift.io`
  return inputProblem(problemReasons.notReachable, message, undefined)
}

function isStringMap(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string')
}
