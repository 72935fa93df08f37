import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'

export interface PodDisruptionBudget extends KubeObject {
  spec?: {
    minAvailable?: number | string
    maxUnavailable?: number | string
    selector?: LabelSelectorSpec
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
  }
  status?: {
    observedGeneration?: number
    disruptionsAllowed: number
    currentHealthy: number
    desiredHealthy: number
    expectedPods: number
    disruptedPods?: Record<string, string>
    conditions?: Condition[]
  }
}

export const podDisruptionBudgets = resource<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
})
