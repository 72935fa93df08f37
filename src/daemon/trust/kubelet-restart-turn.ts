import { createHash } from 'node:crypto'
import { nodeLabels } from '../../api/labels.ts'
import { namespaces } from '../../api/names.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { Random } from '../../base/random.ts'
import type { KubeClient } from '../../kube/client.ts'
import { nodes } from '../../kube/kinds/core.ts'
import { LeaseElection } from '../../kube/lease-election.ts'
import type { ElectionTiming } from '../../kube/lease-election-record.ts'

/** Waits until it is this node's turn, works, and lets the next one have it. Nothing if the signal aborts first. */
export type Turn = <V>(
  signal: AbortSignal,
  work: (term: AbortSignal) => Promise<V>,
) => Promise<V | undefined>

export interface TurnOptions {
  readonly node: string
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** How many workers may restart their kubelets at once; 10 unless said. */
  readonly slots?: number
  readonly timing?: ElectionTiming
}

/** Hundreds may wait for the same lease, and nobody is in a hurry. */
const usualTiming: ElectionTiming = { leaseMs: 60_000, renewMs: 40_000, retryMs: 10_000 }
const usualSlots = 10

/** Turns among all nodes of a cluster: one Lease for the whole control plane, a few for everybody else. */
export function turnsAmongNodes({ node, client, slots, ...options }: TurnOptions): Turn {
  const { timing = usualTiming } = options
  return async (signal, work) => {
    const { metadata } = await client.getMetadata(nodes, { name: node }, { signal })
    const name = leaseName(node, isControlPlane(metadata.labels ?? {}), slots)
    // A daemon that starts again is taken for the same, and goes on at once.
    const election = new LeaseElection({
      ...options,
      api: client,
      lease: { namespace: namespaces.operator, name },
      identity: node,
      timing,
    })
    return await election.hold(signal, work)
  }
}

/** Which Lease a node has to hold. */
export function leaseName(node: string, inControlPlane: boolean, slots = usualSlots): string {
  if (inControlPlane) return `${prefix}-control-plane`
  const slot = createHash('sha256').update(node).digest().readUInt32BE() % slots
  return `${prefix}-worker-${slot}`
}

const prefix = 'machinist-kubelet-restart'

const isControlPlane = (labels: Readonly<Record<string, string>>): boolean =>
  nodeLabels.controlPlane in labels || nodeLabels.master in labels
