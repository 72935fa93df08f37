import type { Metrics } from '@machinist/core/metrics'
import type { Task, TaskFailure } from './tasks.ts'
import { tasks } from './tasks.ts'

export interface ClusterOperatorMetrics {
  update(failures: readonly TaskFailure[]): void
}

export function clusterOperatorMetrics(metrics: Metrics): ClusterOperatorMetrics {
  const failing = metrics.gauge({
    name: 'machinist_operator_task_failing',
    help: 'Whether a task of the operator fails and needs a user to act.',
    labels: ['task'],
  })
  return {
    update(failures) {
      const failed = new Set<Task>(failures.map(({ task }) => task))
      for (const task of tasks) failing.set({ task }, failed.has(task) ? 1 : 0)
    },
  }
}
