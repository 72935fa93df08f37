import type { Metrics } from '@machinist/core/metrics'
import type { ObjectKey } from '@machinist/core/objects/resource'
import { certificateTypes } from '../../../api/labels.ts'
import type { RotationPhase } from '../../../api/kinds/trust-rotation.ts'
import { rotationPhases } from '../../../api/kinds/trust-rotation.ts'
import type { CertificateFacts } from '../facts/facts.ts'
import { poolsLacking } from '../decide/user-data.ts'
import { currentIn, leafIn } from '../facts/facts.ts'

type Series = Readonly<Record<'kind' | 'namespace' | 'name', string>>

export interface RotationMetrics {
  report(facts: CertificateFacts, phase: RotationPhase): void
  /** Also for a rotation that cannot be processed. */
  reportDegraded(rotation: string, isDegraded: boolean): void
  forget(rotation: string): void
}

export function rotationMetrics(metrics: Metrics): RotationMetrics {
  const phases = metrics.gauge({
    name: 'machinist_rotation_phase',
    help: '1 for the current phase of a TrustRotation, 0 for the others.',
    labels: ['rotation', 'phase'],
  })
  const lagging = metrics.gauge({
    name: 'machinist_rotation_lagging_nodes',
    help: 'Number of nodes that do not trust the current CA of a TrustRotation yet.',
    labels: ['rotation'],
  })
  const pools = metrics.gauge({
    name: 'machinist_rotation_lagging_pools',
    help: 'Number of pools whose user data does not contain the current CA of a TrustRotation yet.',
    labels: ['rotation'],
  })
  const oldest = metrics.gauge({
    name: 'machinist_rotation_oldest_lag_seconds',
    help: 'How long the longest lagging node or pool of a TrustRotation has been lagging, in seconds; 0 if none is.',
    labels: ['rotation'],
  })
  const degraded = metrics.gauge({
    name: 'machinist_rotation_degraded',
    help: '1 if a TrustRotation has a problem that a user must fix, otherwise 0.',
    labels: ['rotation'],
  })
  const notAfter = metrics.gauge({
    name: 'machinist_certificate_not_after_seconds',
    help: 'Time at which a certificate that the signer manages expires, in seconds since the epoch.',
    labels: ['kind', 'namespace', 'name'],
  })
  const shown = new Map<string, readonly Series[]>()
  return {
    report(facts, phase) {
      const {
        rotation: { name: rotation },
        nodes,
        now,
      } = facts
      for (const each of rotationPhases) {
        phases.set({ rotation, phase: each }, each === phase ? 1 : 0)
      }
      lagging.set({ rotation }, nodes?.lacking ?? 0)
      const lackingPools = poolsLacking(facts, currentIn(facts))
      pools.set({ rotation }, lackingPools)
      const since = Math.min(
        nodes?.laggards[0]?.since ?? now,
        lackingPools > 0 ? (currentIn(facts)?.notBefore ?? now) : now,
      )
      oldest.set({ rotation }, Math.max(0, Math.floor((now - since) / 1000)))
      const ends = endsIn(facts)
      for (const series of shown.get(rotation) ?? []) notAfter.forget(series)
      for (const [series, end] of ends) notAfter.set(series, Math.floor(end / 1000))
      shown.set(
        rotation,
        ends.map(([series]) => series),
      )
    },
    reportDegraded(rotation, isDegraded) {
      degraded.set({ rotation }, isDegraded ? 1 : 0)
    },
    forget(rotation) {
      degraded.forget({ rotation })
      for (const phase of rotationPhases) phases.forget({ rotation, phase })
      lagging.forget({ rotation })
      pools.forget({ rotation })
      oldest.forget({ rotation })
      for (const series of shown.get(rotation) ?? []) notAfter.forget(series)
      shown.delete(rotation)
    },
  }
}

function endsIn(facts: CertificateFacts): [Series, number][] {
  const { rotation, targets } = facts
  const series = (kind: string, { namespace = '', name }: ObjectKey): Series => ({
    kind,
    namespace,
    name,
  })
  const leafCertificates = rotation.targets.flatMap((target, i): [Series, number][] => {
    const leaf = leafIn(targets[i])
    return leaf ? [[series(certificateTypes.target, target), leaf.notAfter]] : []
  })
  const current = currentIn(facts)
  return current
    ? [[series(certificateTypes.signer, rotation.signer), current.notAfter], ...leafCertificates]
    : leafCertificates
}
