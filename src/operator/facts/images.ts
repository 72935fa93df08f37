import { configMaps as known } from '../../api/names.ts'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import type { ObjectKey, ObjectReference } from '@machinist/core/resource'
import { keyText, referenceTo } from '@machinist/core/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import { whereIs } from '../inputs/cluster-facts.ts'
import type { InputProblem } from '../inputs/problem.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Finding } from './finding.ts'
import { problem } from './finding.ts'

/** How the release names its images, and how templates do. */
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
]

/** Images that the templates name: those of the release, or those that the cluster's ConfigMap says. */
export function imagesFinding(facts: ClusterFacts): Finding {
  const { releaseImages, facts: said, release, isOpenShift } = facts
  if (releaseImages.is === 'bad') return { problem: releaseImages.problem }
  if (releaseImages.is === 'given') return ofRelease(releaseImages.object, release)
  if (isOpenShift !== false) return { problem: missing(known.images, isOpenShift) }
  const { images } = said
  if (images.is === 'bad') return { problem: images.problem }
  if (images.is === 'nothing') return { spec: { images: {} } }
  if (isTexts(images.object)) return { spec: { images: images.object } }
  const message = `${whereIs('images')}: it must give an image for each name`
  return { problem: problem(problemReasons.badValue, message, images.source) }
}

/** The operating system: of the release, or as the cluster's ConfigMap says. Without any, nodes stay in theirs. */
export function osImageFinding(facts: ClusterFacts): Finding {
  const { osImages, release, isOpenShift } = facts
  if (osImages.is === 'bad') return { problem: osImages.problem }
  if (osImages.is === 'given') return osOfRelease(osImages.object, release)
  if (isOpenShift !== false) return { problem: missing(known.osImage, isOpenShift) }
  const { baseOSContainerImage: os, baseOSExtensionsContainerImage: extensions } = facts.facts
  if (os.is === 'bad') return { problem: os.problem }
  if (extensions.is === 'bad') return { problem: extensions.problem }
  const wanted = {
    baseOSContainerImage: os.is === 'given' ? os.object : '',
    baseOSExtensionsContainerImage: extensions.is === 'given' ? extensions.object : undefined,
    osImageURL: undefined,
  }
  return { spec: wanted }
}

function ofRelease(configMap: Readonly<ConfigMap>, release: string | undefined): Finding {
  const about = referenceTo(configMaps, configMap)
  const { key } = known.images
  const where = `ConfigMap ${keyText(known.images)}, key ${key}`
  const images = jsonOrUndefined(configMap.data?.[key] ?? '')
  if (!isTexts(images)) {
    const message = `${where}: it must be JSON with an image for each name`
    return { problem: problem(problemReasons.unreadable, message, about) }
  }
  const other = otherRelease(where, images['releaseVersion'], release, about)
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
  const other = otherRelease(where, data['releaseVersion'], release, about)
  if (other) return { problem: other }
  const { baseOSContainerImage = '', osImageURL } = data
  if (baseOSContainerImage === '' && !osImageURL) {
    const message = `${where}: neither baseOSContainerImage nor osImageURL says which operating system nodes run`
    return { problem: problem(problemReasons.badValue, message, about) }
  }
  return {
    spec: {
      baseOSContainerImage,
      baseOSExtensionsContainerImage: data['baseOSExtensionsContainerImage'] || undefined,
      osImageURL: osImageURL || undefined,
    },
  }
}

/** In the middle of an upgrade some objects are of the old release: nodes get either all of one or all of the other. */
function otherRelease(
  where: string,
  said: string | undefined,
  release: string | undefined,
  about: ObjectReference,
): InputProblem | undefined {
  if (release === undefined || said === release) return undefined
  const message = `${where}: it is of another release than ${release}, to which the cluster goes`
  return problem(problemReasons.otherRelease, message, about)
}

function missing(key: ObjectKey, isOpenShift: true | undefined): InputProblem {
  const what = `ConfigMap ${keyText(key)}`
  if (isOpenShift) {
    return problem(problemReasons.missing, `${what} is gone: it comes with the release`, undefined)
  }
  const message = `${what} is not there, and the API does not say whether it has to be: see to it that the operator may list and watch clusterversions.config.openshift.io`
  return problem(problemReasons.notReachable, message, undefined)
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((each) => typeof each === 'string')
}
