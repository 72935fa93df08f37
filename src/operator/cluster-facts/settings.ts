import { keyText } from '@machinist/core/objects/resource'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { clusterFacts, secrets } from '../../api/names.ts'
import { certificateDeliveries } from '../../api/trust/items.ts'
import { describeFactsKey } from '../inputs/cluster-facts.ts'
import type { ClusterReading } from '../inputs/cluster-reading.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { ClusterFacts } from './facts.ts'
import type { Finding } from './finding.ts'
import { inputProblem } from './finding.ts'

/** The keys of the ConfigMap. */
export const factKeys: ReadonlySet<string> = new Set([
  'infrastructure',
  'network',
  'proxy',
  'dns',
  'image',
  'images',
  'baseOSContainerImage',
  'baseOSExtensionsContainerImage',
  'certificateDelivery',
  'containerRuntime',
])

export function certificateDeliveryFinding({ facts }: ClusterFacts): Finding {
  const { certificateDelivery: annotation } = ownControllerConfigAnnotations
  return choiceFinding(
    'certificateDelivery',
    facts.certificateDelivery,
    certificateDeliveries,
    annotation,
  )
}

export function containerRuntimeFinding({ facts }: ClusterFacts): Finding {
  const { containerRuntime: annotation } = ownControllerConfigAnnotations
  return choiceFinding(
    'containerRuntime',
    facts.containerRuntime,
    ['crio', 'containerd'],
    annotation,
  )
}

/** Without the key in the ConfigMap, an annotation that a user set on the ControllerConfig stays. */
function choiceFinding(
  key: string,
  reading: ClusterReading<string>,
  choices: readonly string[],
  annotation: string,
): Finding {
  if (reading.type === 'invalid') return { problem: reading.problem }
  if (reading.type === 'absent') return {}
  if (choices.includes(reading.object)) return { annotations: { [annotation]: reading.object } }
  const message = `${describeFactsKey(key)}: invalid value; use ${choices.join(' or ')}`
  return { problem: inputProblem(problemReasons.badValue, message, reading.source) }
}

/**
 * The reference to the pull secret. OpenShift always has this Secret, other clusters may have it. Once set, the reference stays:
 * the template controller reports a missing Secret, and nodes keep their credentials.
 */
export function pullSecretFinding({ pullSecret, isOpenShift, stored }: ClusterFacts): Finding {
  if (stored?.spec.pullSecret) return {}
  if (pullSecret.type === 'invalid') return { problem: pullSecret.problem }
  if (pullSecret.type === 'absent' && !isOpenShift) return {}
  const { namespace, name } = secrets.pullSecret
  return { spec: { pullSecret: { namespace, name } } }
}

/** The ConfigMap as a whole: an annotation records it while it has keys. Unknown keys are reported. */
export function factsFinding({ configMap }: ClusterFacts): Finding {
  if (configMap.type === 'invalid') return { problem: configMap.problem }
  if (configMap.type === 'absent') return {}
  const { object, source } = configMap
  const keys = Object.keys({ ...object.data, ...object.binaryData })
  const { clusterFacts: annotation } = ownControllerConfigAnnotations
  const annotations = { [annotation]: keys.length > 0 ? clusterFacts.name : undefined }
  const unknown = keys.filter((key) => !factKeys.has(key) || object.data?.[key] === undefined)
  if (unknown.length === 0) return { annotations }
  const message = `ConfigMap ${keyText(clusterFacts)} has unknown keys: ${unknown.sort().join(', ')}; use ${[...factKeys].join(', ')} in data, and remove other keys`
  return { annotations, problem: inputProblem(problemReasons.badValue, message, source) }
}
