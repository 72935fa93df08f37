import type { Metrics } from '@machinist/core/metrics'

/** Numbers as the original's dashboards and alerts know them. */
export interface DrainMetrics {
  /** A drain takes longer than it should. */
  late(node: string): void
  /** It does not any more, or there is no such node. */
  onTime(node: string): void
  done(verb: 'drain' | 'uncordon', node: string, nowMs: number): void
  forget(node: string): void
}

const subcontroller = 'machine-config-controller-drain'

export function drainMetrics(metrics: Metrics): DrainMetrics {
  const errors = metrics.gauge({
    name: 'mcc_drain_err',
    help: 'Set to 1 for a node whose drain has not come to its end in time.',
    labels: ['node'],
  })
  const states = metrics.gauge({
    name: 'mcc_sub_controller_state',
    help: 'When a controller last did something to an object, in seconds since the epoch.',
    labels: ['subcontroller', 'state', 'object'],
  })
  const onTime = (node: string): void => errors.forget({ node })
  return {
    late: (node) => errors.set({ node }, 1),
    onTime,
    done: (state, object, nowMs) =>
      states.set({ subcontroller, state, object }, Math.floor(nowMs / 1000)),
    forget(node) {
      onTime(node)
      for (const state of ['drain', 'uncordon']) {
        states.forget({ subcontroller, state, object: node })
      }
    },
  }
}
