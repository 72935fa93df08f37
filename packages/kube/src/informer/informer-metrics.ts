import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'

export interface InformerMetrics {
  objects(count: number): void
  received(): void
  listed(reason: string): void
  watchEnded(reason: string): void
  handlerFailed(): void
}

/** `resource` is the name of the informer, such as `nodes` or `machineconfigs.machineconfiguration.openshift.io`. */
export function informerMetrics(metrics: Metrics, clock: Clock, resource: string): InformerMetrics {
  const objects = metrics.gauge({
    name: 'machinist_informer_objects',
    help: 'Number of objects in the cache, by resource.',
    labels: ['resource'],
  })
  const lists = metrics.counter({
    name: 'machinist_informer_relists_total',
    help: 'Total number of complete lists, by resource and reason.',
    labels: ['resource', 'reason'],
  })
  const restarts = metrics.counter({
    name: 'machinist_informer_watch_restarts_total',
    help: 'Total number of restarted watches, by resource and the reason why the watch ended.',
    labels: ['resource', 'reason'],
  })
  const lastReceived = metrics.gauge({
    name: 'machinist_informer_last_event_timestamp_seconds',
    help: 'Unix time of the last list page, event or bookmark from the API server, by resource.',
    labels: ['resource'],
  })
  const handlerErrors = metrics.counter({
    name: 'machinist_informer_handler_errors_total',
    help: 'Total number of failed change handlers, by resource.',
    labels: ['resource'],
  })
  return {
    objects: (count) => objects.set({ resource }, count),
    received: () => lastReceived.set({ resource }, clock.now() / 1000),
    listed: (reason) => lists.add({ resource, reason }),
    watchEnded: (reason) => restarts.add({ resource, reason }),
    handlerFailed: () => handlerErrors.add({ resource }),
  }
}
