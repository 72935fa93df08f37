import { InvalidInput } from '@machinist/core/errors'
import { quoted } from '@machinist/core/quoted'
import type { LabelSelector } from '@machinist/core/objects/selectors'
import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { Node } from '@machinist/kube/kinds/core'
import type { ClusterOperator } from '../../api/openshift-config.ts'
import { operatorReasons } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'

/** A notice before an upgrade that does not block it. */
export interface SkewNotice {
  readonly reason: string
  readonly message: string
}

/** The name of the ClusterOperator of the API server, and of its version there. */
export const kubeAPIServer = 'kube-apiserver'

/** How many minor versions a kubelet may be older than the API server. */
const supportedSkew = 2

/** Whether kubelets have the maximum supported version skew, or more. Only nodes of pools count. */
export function kubeletSkew(
  apiServer: Readonly<ClusterOperator> | undefined,
  pools: readonly Readonly<MachineConfigPool>[],
  nodes: readonly Readonly<Node>[],
): SkewNotice | undefined {
  // Without this ClusterOperator, the cluster is not upgraded by ClusterOperators.
  if (!apiServer) return undefined
  const version = apiServer.status?.versions?.find(({ name }) => name === kubeAPIServer)?.version
  if (!version) return unchecked(`ClusterOperator ${kubeAPIServer} does not report its version yet`)
  const serverMinor = minorOf(version)
  if (serverMinor === undefined) {
    return unchecked(
      `ClusterOperator ${kubeAPIServer} reports an invalid version ${quoted(version)}`,
    )
  }
  const kubelets = managed(pools, nodes).flatMap(({ metadata, status }) => {
    const kubelet = status?.nodeInfo?.kubeletVersion
    return kubelet ? [{ node: metadata.name, version: kubelet, minor: minorOf(kubelet) }] : []
  })
  if (kubelets.length === 0) return unchecked('no kubelet has reported its version yet')
  const behind = (by: (skew: number) => boolean): string[] =>
    kubelets.flatMap(({ node, minor }) =>
      minor !== undefined && by(serverMinor - minor) ? node : [],
    )
  const unsupported = behind((skew) => skew > supportedSkew)
  if (unsupported.length > 0) {
    const message = `the kubelets of ${some(unsupported)} are too old for API server ${version}: update these nodes to 1.${serverMinor - supportedSkew} or newer`
    return { reason: operatorReasons.kubeletSkewUnsupported, message }
  }
  const present = behind((skew) => skew === supportedSkew)
  if (present.length > 0) {
    const message = `the kubelets of ${some(present)} are too old for an API server newer than ${version}: update these nodes before the next upgrade`
    return { reason: operatorReasons.kubeletSkewPresent, message }
  }
  const odd = kubelets.find(({ minor }) => minor === undefined)
  return (
    odd && unchecked(`the kubelet of ${odd.node} reports an invalid version ${quoted(odd.version)}`)
  )
}

function unchecked(why: string): SkewNotice {
  const message = `cannot check the version skew of kubelets: ${why}`
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

/** An invalid selector selects nothing; the rollout controller reports it on the pool. */
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
