import type { Metrics } from '@machinist/core/metrics'

export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after'

export interface ControllerMetrics {
  workers(count: number): void
  started(): void
  ended(result: ReconcileResult, seconds: number): void
  failed(kind: 'transient' | 'terminal' | 'panic'): void
}

const results: readonly ReconcileResult[] = ['success', 'error', 'requeue', 'requeue_after']
const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
]

/** The metrics of controller-runtime, so that common dashboards work. */
export function controllerMetrics(metrics: Metrics, controller: string): ControllerMetrics {
  const family = families(metrics)
  // Start at zero, so that alerts detect the first increase.
  for (const result of results) family.total.add({ controller, result }, 0)
  for (const counter of [family.errors, family.terminal, family.panics])
    counter.add({ controller }, 0)
  family.active.set({ controller }, 0)
  return {
    workers: (count) => family.maxConcurrent.set({ controller }, count),
    started: () => family.active.add({ controller }, 1),
    ended(result, seconds) {
      family.active.add({ controller }, -1)
      family.total.add({ controller, result })
      family.duration.observe({ controller }, seconds)
    },
    failed(kind) {
      family.errors.add({ controller })
      if (kind === 'terminal') family.terminal.add({ controller })
      if (kind === 'panic') family.panics.add({ controller })
    },
  }
}

function families(metrics: Metrics) {
  const labels = ['controller'] as const
  return {
    total: metrics.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Total number of reconciles, by controller and result.',
      labels: ['controller', 'result'],
    }),
    errors: metrics.counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Total number of failed reconciles, by controller.',
      labels,
    }),
    terminal: metrics.counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Total number of reconciles that failed until a user acts, by controller.',
      labels,
    }),
    panics: metrics.counter({
      name: 'controller_runtime_reconcile_panics_total',
      help: 'Total number of reconciles that failed because of a bug, by controller.',
      labels,
    }),
    duration: metrics.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Duration of reconciles, by controller.',
      labels,
      buckets,
    }),
    maxConcurrent: metrics.gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of concurrent reconciles, by controller.',
      labels,
    }),
    active: metrics.gauge({
      name: 'controller_runtime_active_workers',
      help: 'Number of running reconciles, by controller.',
      labels,
    }),
  }
}
