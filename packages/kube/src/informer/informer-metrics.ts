import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'

export interface InformerMetrics {
  objects(count: number): void
  heard(): void
  listed(reason: string): void
  watchEnded(reason: string): void
  handlerFailed(): void
}

/** `resource` names the informer, e.g. `nodes` or `machineconfigs.machineconfiguration.openshift.io`. */
export function informerMetrics(metrics: Metrics, clock: Clock, resource: string): InformerMetrics {
  const objects = metrics.gauge({
    name: 'machinist_informer_objects',
    help: 'Objects held in the cache.',
    labels: ['resource'],
  })
  const lists = metrics.counter({
    name: 'machinist_informer_relists_total',
    help: 'Complete lists taken from the API server, by why a list was needed.',
    labels: ['resource', 'reason'],
  })
  const restarts = metrics.counter({
    name: 'machinist_informer_watch_restarts_total',
    help: 'Watches that ended and were opened again, by why they ended.',
    labels: ['resource', 'reason'],
  })
  const lastHeard = metrics.gauge({
    name: 'machinist_informer_last_event_timestamp_seconds',
    help: 'When the API server was last heard: a page of a list, an event or a bookmark.',
    labels: ['resource'],
  })
  const handlerErrors = metrics.counter({
    name: 'machinist_informer_handler_errors_total',
    help: 'Changes whose handler failed.',
    labels: ['resource'],
  })
  return {
    objects: (count) => objects.set({ resource }, count),
    heard: () => lastHeard.set({ resource }, clock.now() / 1000),
    listed: (reason) => lists.add({ resource, reason }),
    watchEnded: (reason) => restarts.add({ resource, reason }),
    handlerFailed: () => handlerErrors.add({ resource }),
  }
}
