import type { TrustRotationSpec } from '../../api/kinds/trust-rotation.ts'
import { readDuration } from '@machinist/core/duration'
import { defaults } from './defaults.ts'

export interface SettleTimes {
  /** How long a kubelet may take to load a CA file that was written. */
  readonly nodeMs: number
  /** How long a leaf certificate may still be presented after it was replaced. */
  readonly leafMs: number
}

type Given = Pick<TrustRotationSpec, 'settle' | 'nodeSettle' | 'leafSettle'>

/**
 * `settle` stands for both where they are not set. It may be too short for leaf certificates, because it once was the only
 * number and chosen for kubelets, so it never shortens the usual time. Durations that cannot be read count as not set.
 */
export function settleTimes({ settle, nodeSettle, leafSettle }: Given): SettleTimes {
  const both = readDuration(settle ?? '')
  const usualLeafMs = readDuration(defaults.leafSettle)!
  return {
    nodeMs: readDuration(nodeSettle ?? '') ?? both ?? readDuration(defaults.nodeSettle)!,
    leafMs: readDuration(leafSettle ?? '') ?? Math.max(both ?? 0, usualLeafMs),
  }
}
