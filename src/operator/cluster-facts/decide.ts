import { annotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { InputReport } from '../inputs/report-inputs.ts'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { cloudConfigFinding } from './cloud-config.ts'
import type { ClusterFacts } from './facts.ts'
import type { Finding } from './finding.ts'
import { imagesFinding, osImageFinding } from './images.ts'
import { infrastructureFinding } from './infrastructure.ts'
import { networkFinding } from './network.ts'
import { dnsFinding, proxyFinding } from './proxy-and-dns.ts'
import {
  certificateDeliveryFinding,
  containerRuntimeFinding,
  factsFinding,
  pullSecretFinding,
} from './settings.ts'

/** Each input by the name of its condition. Inputs are independent of each other. */
const inputs: Readonly<Record<string, (facts: ClusterFacts) => Finding>> = {
  infrastructure: infrastructureFinding,
  network: networkFinding,
  proxy: proxyFinding,
  dns: dnsFinding,
  images: imagesFinding,
  'os-image': osImageFinding,
  'cloud-config': cloudConfigFinding,
  'pull-secret-reference': pullSecretFinding,
  'certificate-delivery': certificateDeliveryFinding,
  'container-runtime': containerRuntimeFinding,
  'cluster-facts': factsFinding,
}

export type ClusterFactsPlan =
  | {
      readonly type: 'write'
      readonly change: ControllerConfigChange
      readonly reports: readonly InputReport[]
    }
  /** The trust controller writes first, so that facts and version annotations are one write. */
  | { readonly type: 'wait'; readonly ms: number }

/** Pure: the cluster facts of the ControllerConfig. Invalid inputs leave their fields unchanged. */
export function decide(facts: ClusterFacts): ClusterFactsPlan {
  const { trustWaitMs } = facts
  if (trustWaitMs > 0) return { type: 'wait', ms: trustWaitMs }
  const findings = Object.entries(inputs).map(([input, find]) => ({ input, found: find(facts) }))
  const reports = findings.map(({ input, found }) => ({ input, problem: found.problem }))
  const change = {
    spec: Object.assign(
      {},
      ...findings.map(({ found }) => found.spec),
    ) as ControllerConfigChange['spec'],
    annotations: {
      ...(Object.assign({}, ...findings.map(({ found }) => found.annotations)) as Annotations),
      ...versionAnnotations(facts, reports),
    },
  }
  return { type: 'write', change, reports }
}

type Annotations = ControllerConfigChange['annotations']

/**
 * Controllers render only a ControllerConfig with version annotations. A new ControllerConfig gets them only when facts and
 * trust are complete, so that nodes are never configured from half of it.
 */
function versionAnnotations(
  { stored, versions: { version, release } }: ClusterFacts,
  reports: readonly InputReport[],
): Annotations {
  const current = stored?.metadata.annotations ?? {}
  const hasTrust = current[ownControllerConfigAnnotations.trustDigests] !== undefined
  const isValid = reports.every(({ problem }) => problem === undefined)
  const before = current[annotations.generatedByVersion]
  if (!hasTrust || !(isValid || before !== undefined)) return {}
  // In the middle of an upgrade, nodes would get new templates with old images, and another update soon after.
  const { otherRelease } = problemReasons
  const isIncomplete = reports.some(({ problem }) => problem?.reason === otherRelease)
  if (isIncomplete && before !== version) return {}
  const isOfRelease = reports.every(
    ({ input, problem }) => !problem || (input !== 'images' && input !== 'os-image'),
  )
  return {
    [annotations.generatedByVersion]: version,
    ...(isOfRelease && { [annotations.releaseImageVersion]: release }),
  }
}
