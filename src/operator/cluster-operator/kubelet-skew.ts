import type { ClusterOperator } from '../../api/openshift-config.ts'
import { operatorReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { quoted } from '@machinist/core/quoted'
import type { LabelSelector } from '@machinist/core/selectors'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/selectors'
import type { Node } from '@machinist/kube/kinds/core'

/** What is to be known before an upgrade, although nothing has to stop it. */
export interface SkewNotice {
  readonly reason: string
  readonly message: string
}

/** The ClusterOperator, and the name of the version in it, that tell which Kubernetes the API server is. */
export const kubeAPIServer = 'kube-apiserver'

/** How many minor versions a kubelet may be behind. */
const supportedSkew = 2

/** Whether kubelets are as far behind the API server as they may be, or further. Only nodes of pools count. */
export function kubeletSkew(
  apiServer: Readonly<ClusterOperator> | undefined,
  pools: readonly Readonly<MachineConfigPool>[],
  nodes: readonly Readonly<Node>[],
): SkewNotice | undefined {
  // Where nobody tells of the API server, nobody plans its upgrade by this object either.
  if (!apiServer) return undefined
  const version = apiServer.status?.versions?.find(({ name }) => name === kubeAPIServer)?.version
  if (!version) return unchecked(`ClusterOperator ${kubeAPIServer} does not tell its version yet`)
  const wanted = minorOf(version)
  if (wanted === undefined) {
    return unchecked(`${quoted(version)}, the version of ${kubeAPIServer}, is none`)
  }
  const kubelets = managed(pools, nodes).flatMap(({ metadata, status }) => {
    const told = status?.nodeInfo?.kubeletVersion
    return told ? [{ node: metadata.name, version: told, minor: minorOf(told) }] : []
  })
  if (kubelets.length === 0) return unchecked('no kubelet has told its version yet')
  const behind = (by: (skew: number) => boolean): string[] =>
    kubelets.flatMap(({ node, minor }) => (minor !== undefined && by(wanted - minor) ? node : []))
  const unsupported = behind((skew) => skew > supportedSkew)
  if (unsupported.length > 0) {
    const message = `the kubelets of ${some(unsupported)} are too far behind the API server, which is ${version}: update these nodes to 1.${wanted - supportedSkew} or newer`
    return { reason: operatorReasons.kubeletSkewUnsupported, message }
  }
  const present = behind((skew) => skew === supportedSkew)
  if (present.length > 0) {
    const message = `the kubelets of ${some(present)} would be too far behind a newer API server than ${version}: update these nodes before the next upgrade`
    return { reason: operatorReasons.kubeletSkewPresent, message }
  }
  const odd = kubelets.find(({ minor }) => minor === undefined)
  return odd && unchecked(`${quoted(odd.version)}, the kubelet version of ${odd.node}, is none`)
}

function unchecked(why: string): SkewNotice {
  const message = `whether kubelets are too old is not known: ${why}`
  return { reason: operatorReasons.kubeletSkewUnchecked, message }
}

/** `v1.21.0-rc.0+6143dea` → 21. */
function minorOf(version: string): number | undefined {
  const minor = /^v?\d+\.(\d{1,4})(?:[.+-]|$)/.exec(version)?.[1]
  return minor === undefined ? undefined : Number(minor)
}

function managed(
  pools: readonly Readonly<MachineConfigPool>[],
  nodes: readonly Readonly<Node>[],
): readonly Readonly<Node>[] {
  const selectors = pools.flatMap(selectorOf)
  return nodes.filter(({ metadata }) =>
    selectors.some((selector) => matchesLabels(selector, metadata.labels)),
  )
}

/** A selector that cannot be read selects nothing; rollout says so on the pool. */
function selectorOf({ spec }: Readonly<MachineConfigPool>): LabelSelector[] {
  try {
    return [selectorFromSpec(spec.nodeSelector, nothing)]
  } catch (error) {
    if (error instanceof InvalidInput) return []
    throw error
  }
}

const most = 3

function some(nodes: readonly string[]): string {
  const named = nodes.toSorted().slice(0, most).join(', ')
  return nodes.length > most ? `${named} and ${nodes.length - most} more` : named
}
