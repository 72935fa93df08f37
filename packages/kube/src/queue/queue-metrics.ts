import type { Cancel, Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'

export interface QueueMetrics {
  ready(key: string, priority: number): void
  priorityRaised(from: number, to: number): void
  forgotten(key: string, priority: number): void
  taken(key: string, priority: number): void
  done(key: string): void
  delayed(): void
}

/** From ten nanoseconds to a thousand seconds, by factors of ten. */
const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000]
const refreshMs = 5000

/** The workqueue metrics of client-go, so that common dashboards work. */
export function queueMetrics(metrics: Metrics, clock: Clock, name: string): QueueMetrics {
  const { depth, adds, waited, worked, unfinished, longest, retries } = families(metrics)
  const labels = { name, controller: name }
  const readySince = new Map<string, number>()
  const takenSince = new Map<string, number>()
  const secondsSince = (start: number): number => (clock.elapsed() - start) / 1000
  const deepen = (priority: number, by: number): void =>
    depth.add({ ...labels, priority: String(priority) }, by)

  let nextRefresh: Cancel | undefined
  const refresh = (): void => {
    const ages = Array.from(takenSince.values(), secondsSince)
    unfinished.set(
      labels,
      ages.reduce((sum, age) => sum + age, 0),
    )
    longest.set(labels, Math.max(0, ...ages))
    // An idle queue has no timer.
    nextRefresh = takenSince.size > 0 ? clock.after(refreshMs, refresh) : undefined
  }

  return {
    ready(key, priority) {
      adds.add(labels)
      deepen(priority, 1)
      readySince.set(key, clock.elapsed())
    },
    priorityRaised(from, to) {
      deepen(from, -1)
      deepen(to, 1)
    },
    forgotten(key, priority) {
      deepen(priority, -1)
      readySince.delete(key)
    },
    taken(key, priority) {
      deepen(priority, -1)
      waited.observe(labels, secondsSince(readySince.get(key) ?? clock.elapsed()))
      readySince.delete(key)
      takenSince.set(key, clock.elapsed())
      nextRefresh ??= clock.after(refreshMs, refresh)
    },
    done(key) {
      worked.observe(labels, secondsSince(takenSince.get(key) ?? clock.elapsed()))
      takenSince.delete(key)
      if (takenSince.size > 0) return
      nextRefresh?.()
      refresh()
    },
    delayed: () => retries.add(labels),
  }
}

function families(metrics: Metrics) {
  const labels = ['name', 'controller'] as const
  return {
    depth: metrics.gauge({
      name: 'workqueue_depth',
      help: 'Current number of keys that are ready, by queue and priority.',
      labels: ['name', 'controller', 'priority'],
    }),
    adds: metrics.counter({
      name: 'workqueue_adds_total',
      help: 'Total number of keys that became ready, by queue.',
      labels,
    }),
    waited: metrics.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'Time from when a key became ready until a worker took it, by queue.',
      labels,
      buckets,
    }),
    worked: metrics.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'Processing time of keys, by queue.',
      labels,
      buckets,
    }),
    unfinished: metrics.gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Sum of the processing time of all keys in progress, by queue.',
      labels,
    }),
    longest: metrics.gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Processing time of the longest running key, by queue.',
      labels,
    }),
    retries: metrics.counter({
      name: 'workqueue_retries_total',
      help: 'Total number of keys that were added with a delay, by queue.',
      labels,
    }),
  }
}
