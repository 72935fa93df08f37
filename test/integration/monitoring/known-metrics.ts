import { groupingsIn, selectorsIn } from './promql.ts'
import { publishedAs, publishedMetrics } from './published-metrics.ts'

/** Metrics of other programs that rules and panels use, with their labels. docs/monitoring.md names the programs. */
const ofOthers: Readonly<Record<string, readonly string[]>> = {
  // Prometheus
  ALERTS: ['alertname', 'alertstate', 'severity'],
  up: ['job', 'instance', 'pod', 'node'],
  // kubelet
  container_memory_rss: ['id', 'node'],
  // kube-state-metrics
  kube_node_role: ['node', 'role', 'instance' /* by label_replace */],
  kube_node_status_allocatable: ['node', 'resource'],
  kube_node_status_capacity: ['node', 'resource'],
  // node-exporter; its instance is the name of the node
  node_memory_MemAvailable_bytes: ['instance'],
  node_memory_MemTotal_bytes: ['instance'],
}
/** Target labels; see deploy/monitoring/monitors.yaml. */
const ofTargets = ['job', 'instance', 'pod']
/** Target labels of daemons and servers. */
const onHosts = [...ofTargets, 'node']
const ours = publishedMetrics()

/** Undefined for an unknown metric. */
function labelsOf(metric: string): readonly string[] | undefined {
  const others = ofOthers[metric]
  if (others) return others
  const labels = publishedAs(ours, metric)
  if (!labels) return undefined
  const isOnHost = /^src\/(daemon|server)\//.test(ours.get(metric)?.path ?? '')
  return [...labels, ...(isOnHost ? onHosts : ofTargets)]
}

/** Metrics and labels of an expression that do not exist. */
export function lackingIn(expression: string): string[] {
  const asked = [
    ...selectorsIn(expression),
    ...groupingsIn(expression).flatMap(({ labels: by, metrics }) =>
      metrics.map((metric) => ({ metric, by })),
    ),
  ]
  return asked.flatMap(({ metric, by }) => {
    const has = labelsOf(metric)
    if (!has) return [`no component exposes ${metric}`]
    return by.filter((label) => !has.includes(label)).map((label) => `${metric} has no ${label}`)
  })
}
