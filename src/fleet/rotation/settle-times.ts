import { readDuration } from '@machinist/core/duration'
import type { TrustRotationSpec } from '../../api/kinds/trust-rotation.ts'
import { rotationDefaults } from './defaults.ts'

type SettleFields = Pick<TrustRotationSpec, 'settle' | 'nodeSettle' | 'leafSettle'>

/** How long machines may start with older user data; undefined if the rotation does not depend on it. */
export function userDataSettleMs({
  userData,
}: Pick<TrustRotationSpec, 'userData'>): number | undefined {
  if (userData === undefined) return undefined
  return readDuration(userData.settle ?? '') ?? readDuration(rotationDefaults.userDataSettle)
}

export interface SettleTimes {
  /** How long a kubelet may take to load a CA file that was written. */
  readonly nodeMs: number
  /** How long a leaf certificate may still be presented after it was replaced. */
  readonly leafMs: number
}

/**
 * `settle` applies to both fields if they are not set. Existing values were chosen for kubelets and may be too short for leaf
 * certificates, so `settle` never shortens the default of `leafSettle`. Invalid durations count as not set.
 */
export function settleTimes({ settle, nodeSettle, leafSettle }: SettleFields): SettleTimes {
  const both = readDuration(settle ?? '')
  const defaultLeafMs = readDuration(rotationDefaults.leafSettle)!
  return {
    nodeMs: readDuration(nodeSettle ?? '') ?? both ?? readDuration(rotationDefaults.nodeSettle)!,
    leafMs: readDuration(leafSettle ?? '') ?? Math.max(both ?? 0, defaultLeafMs),
  }
}
