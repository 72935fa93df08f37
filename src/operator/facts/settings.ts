import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { clusterFacts, secrets } from '../../api/names.ts'
import { certificateDeliveries } from '../../api/trust/items.ts'
import { keyText } from '@machinist/core/resource'
import { whereIs } from '../inputs/cluster-facts.ts'
import type { Reading } from '../inputs/cluster-reading.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import { factKeys } from './cluster-facts.ts'
import type { Finding } from './finding.ts'
import { problem } from './finding.ts'

export function certificateDeliveryFinding({ facts }: ClusterFacts): Finding {
  const { certificateDelivery: annotation } = ownControllerConfigAnnotations
  return choice('certificateDelivery', facts.certificateDelivery, certificateDeliveries, annotation)
}

export function containerRuntimeFinding({ facts }: ClusterFacts): Finding {
  const { containerRuntime: annotation } = ownControllerConfigAnnotations
  return choice('containerRuntime', facts.containerRuntime, ['crio', 'containerd'], annotation)
}

/** Where the ConfigMap says nothing, what somebody wrote onto the ControllerConfig stays. */
function choice(
  key: string,
  said: Reading<string>,
  choices: readonly string[],
  annotation: string,
): Finding {
  if (said.is === 'bad') return { problem: said.problem }
  if (said.is === 'nothing') return {}
  if (choices.includes(said.object)) return { annotations: { [annotation]: said.object } }
  const message = `${whereIs(key)}: it must be ${choices.join(' or ')}`
  return { problem: problem(problemReasons.badValue, message, said.source) }
}

/**
 * Where credentials for registries are. On OpenShift always in the same Secret, and elsewhere if there is such a Secret.
 * Once said it stays: who fills in templates says what is missing, and nodes keep what they have.
 */
export function pullSecretFinding({ pullSecret, isOpenShift, stored }: ClusterFacts): Finding {
  if (stored?.spec.pullSecret) return {}
  if (pullSecret.is === 'bad') return { problem: pullSecret.problem }
  if (pullSecret.is === 'nothing' && !isOpenShift) return {}
  const { namespace, name } = secrets.pullSecret
  return { spec: { pullSecret: { namespace, name } } }
}

/** The ConfigMap as a whole: remembered for as long as it says anything. A key that nobody reads is a mistake. */
export function factsFinding({ configMap }: ClusterFacts): Finding {
  if (configMap.is === 'bad') return { problem: configMap.problem }
  if (configMap.is === 'nothing') return {}
  const { object, source } = configMap
  const keys = Object.keys({ ...object.data, ...object.binaryData })
  const { clusterFacts: annotation } = ownControllerConfigAnnotations
  const annotations = { [annotation]: keys.length > 0 ? clusterFacts.name : undefined }
  const strange = keys.filter((key) => !factKeys.has(key) || object.data?.[key] === undefined)
  if (strange.length === 0) return { annotations }
  const message = `ConfigMap ${keyText(clusterFacts)} has keys that nobody reads: ${strange.sort().join(', ')}; those that are read are ${[...factKeys].join(', ')}, as text`
  return { annotations, problem: problem(problemReasons.badValue, message, source) }
}
