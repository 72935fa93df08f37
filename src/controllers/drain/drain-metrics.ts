import type { Metrics } from '@machinist/core/metrics'

/** Metrics with the names of MCO, for dashboards and alerts. */
export interface DrainMetrics {
  /** The drain exceeds its timeout. */
  setOverdue(node: string): void
  /** No drain of the node exceeds its timeout. */
  clearOverdue(node: string): void
  setLastAction(verb: 'drain' | 'uncordon', node: string, nowMs: number): void
  forget(node: string): void
}

const subcontroller = 'machine-config-controller-drain'

export function drainMetrics(metrics: Metrics): DrainMetrics {
  const errors = metrics.gauge({
    name: 'mcc_drain_err',
    help: '1 for a node whose drain exceeds its timeout.',
    labels: ['node'],
  })
  const states = metrics.gauge({
    name: 'mcc_sub_controller_state',
    help: 'Time of the last action of a controller on an object, in seconds since the epoch.',
    labels: ['subcontroller', 'state', 'object'],
  })
  const clearOverdue = (node: string): void => errors.forget({ node })
  return {
    setOverdue: (node) => errors.set({ node }, 1),
    clearOverdue,
    setLastAction: (state, object, nowMs) =>
      states.set({ subcontroller, state, object }, Math.floor(nowMs / 1000)),
    forget(node) {
      clearOverdue(node)
      for (const state of ['drain', 'uncordon']) {
        states.forget({ subcontroller, state, object: node })
      }
    },
  }
}
