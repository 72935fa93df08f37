import type { Metrics } from '@machinist/core/metrics'
import type { KubeletTurnsPlan } from './decide.ts'

export interface TurnMetrics {
  update(plan: KubeletTurnsPlan): void
  withdrawn(): void
}

export function turnMetrics(metrics: Metrics): TurnMetrics {
  const turns = metrics.gauge({
    name: 'machinist_kubelet_restart_turns',
    help: 'Nodes that have a turn to restart their kubelet, or wait for one.',
    labels: ['state'],
  })
  const withdrawals = metrics.counter({
    name: 'machinist_kubelet_restart_turns_withdrawn_total',
    help: 'Turns to restart a kubelet that were withdrawn because the node did not report the end of the restart.',
  })
  return {
    update({ granted, waiting }) {
      turns.set({ state: 'granted' }, granted)
      turns.set({ state: 'waiting' }, waiting)
    },
    withdrawn: () => withdrawals.add({}),
  }
}
