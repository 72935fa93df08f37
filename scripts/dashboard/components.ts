import type { Row } from './panel.ts'

const rate = '[$__rate_interval]'
const slowest = (metric: string, label: string): string =>
  `histogram_quantile(0.99, sum by (le, ${label}) (rate(${metric}_bucket${rate})))`
/** Others have numbers of the same names. */
const ours = 'and on (job, instance) machinist_build_info'

export const components: Row = {
  title: 'Components',
  panels: [
    {
      title: 'Who leads',
      description: 'One for each lease. None: nobody works.',
      unit: 'count',
      lines: { '{{name}}': 'sum by (name) (leader_election_master_status)' },
    },
    {
      title: 'Waiting work',
      description: 'Keys in the work queues. They come and go; what stays is an alert.',
      unit: 'count',
      lines: { '{{name}}': 'sum by (name) (workqueue_depth)' },
    },
    {
      title: 'Time in the queue',
      description: 'Of a hundred keys the slowest waited as long before somebody took it.',
      unit: 's',
      lines: { '{{name}}': slowest('workqueue_queue_duration_seconds', 'name') },
    },
    {
      title: 'Reconcile time',
      description:
        'Of a hundred reconciles the slowest took as long. That of the daemon is a whole update.',
      unit: 's',
      lines: {
        '{{controller}}': slowest('controller_runtime_reconcile_time_seconds', 'controller'),
      },
    },
    {
      title: 'Reconciles',
      description: 'In a second, by how they ended.',
      unit: 'ops',
      lines: { '{{result}}': `sum by (result) (rate(controller_runtime_reconcile_total${rate}))` },
    },
    {
      title: 'Reconciles that failed',
      description:
        'In an hour. What fails is tried again; what needs a person is told by a condition.',
      unit: 'count',
      lines: {
        '{{controller}}':
          'sum by (controller) (increase(controller_runtime_reconcile_errors_total[1h])) > 0',
      },
      whenEmpty: 'None',
    },
    {
      title: 'API requests',
      description: 'In a second. A cluster at rest needs next to none.',
      unit: 'reqps',
      lines: {
        '{{method}} {{code}}': `sum by (method, code) (rate(rest_client_requests_total${rate}))`,
      },
    },
    {
      title: 'API response time',
      description: 'Of a hundred requests the slowest waited as long for the first word.',
      unit: 's',
      lines: { '{{verb}}': slowest('rest_client_request_duration_seconds', 'verb') },
    },
    {
      title: 'Watches',
      description: 'Watches that ended, and lists that had to be taken anew, in an hour.',
      unit: 'count',
      lines: {
        'ended: {{reason}}':
          'sum by (reason) (increase(machinist_informer_watch_restarts_total[1h]))',
        'listed: {{reason}}': 'sum by (reason) (increase(machinist_informer_relists_total[1h]))',
      },
    },
    {
      title: 'Memory',
      description: 'Of the largest process of each kind.',
      unit: 'bytes',
      lines: { '{{job}}': `max by (job) (process_resident_memory_bytes ${ours})` },
    },
    {
      title: 'Processor',
      description: 'Cores that all processes of a kind use together.',
      unit: 'short',
      lines: { '{{job}}': `sum by (job) (rate(process_cpu_seconds_total${rate}) ${ours})` },
    },
    {
      title: 'Versions',
      description:
        'Processes of each version; more than one only while Machinist itself is updated.',
      unit: 'count',
      lines: { '{{job}} {{version}}': 'count by (job, version) (machinist_build_info)' },
    },
  ],
}
