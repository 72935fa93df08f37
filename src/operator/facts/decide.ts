import { annotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { problemReasons } from '../inputs/problem.ts'
import type { InputReport } from '../inputs/show-inputs.ts'
import type { ControllerConfigChange } from '../inputs/write-controller-config.ts'
import { cloudConfigFinding } from './cloud-config.ts'
import type { ClusterFacts } from './cluster-facts.ts'
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

/** Each input by the name of its condition. None depends on another one being good. */
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

export interface Versions {
  /** Our own. */
  readonly version: string
  /** Of the release that we belong to. */
  readonly release: string
}

export interface Decision {
  readonly change: ControllerConfigChange
  readonly reports: readonly InputReport[]
}

/** What the ControllerConfig shall say about the cluster. Inputs that cannot be used leave their fields alone. */
export function decide(facts: ClusterFacts, made: Versions): Decision {
  const findings = Object.entries(inputs).map(([input, find]) => ({ input, found: find(facts) }))
  const reports = findings.map(({ input, found }) => ({ input, problem: found.problem }))
  const change = {
    spec: Object.assign(
      {},
      ...findings.map(({ found }) => found.spec),
    ) as ControllerConfigChange['spec'],
    annotations: {
      ...(Object.assign({}, ...findings.map(({ found }) => found.annotations)) as Annotations),
      ...madeBy(facts, reports, made),
    },
  }
  return { change, reports }
}

type Annotations = ControllerConfigChange['annotations']

/**
 * Configs are rendered only from what says who made it. So it is not said of a new ControllerConfig before all of it is
 * there, which is also true of what the trust loop writes: nodes shall not be set up from the half of it.
 */
function madeBy(
  { stored }: ClusterFacts,
  reports: readonly InputReport[],
  { version, release }: Versions,
): Annotations {
  const said = stored?.metadata.annotations ?? {}
  const hasTrust = said[ownControllerConfigAnnotations.trustDigests] !== undefined
  const isGood = reports.every(({ problem }) => problem === undefined)
  const before = said[annotations.generatedByVersion]
  if (!hasTrust || !(isGood || before !== undefined)) return {}
  // Of an upgrade that is half there nodes would get the new templates and the old images, and soon all anew.
  const { otherRelease } = problemReasons
  const isHalf = reports.some(({ problem }) => problem?.reason === otherRelease)
  if (isHalf && before !== version) return {}
  const isOfRelease = reports.every(
    ({ input, problem }) => !problem || (input !== 'images' && input !== 'os-image'),
  )
  return {
    [annotations.generatedByVersion]: version,
    ...(isOfRelease && { [annotations.releaseImageVersion]: release }),
  }
}
