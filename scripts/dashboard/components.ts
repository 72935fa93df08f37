import type { Row } from './panel.ts'

const rate = '[$__rate_interval]'
const slowest = (metric: string, label: string): string =>
  `histogram_quantile(0.99, sum by (le, ${label}) (rate(${metric}_bucket${rate})))`
/** Other programs expose metrics with the same names. */
const ours = 'and on (job, instance) machinist_build_info'

export const components: Row = {
  title: 'Components',
  panels: [
    {
      title: 'Leaders',
      description: 'One per Lease. Zero means that no instance is active.',
      unit: 'count',
      lines: { '{{name}}': 'sum by (name) (leader_election_master_status)' },
    },
    {
      title: 'Work queue depth',
      description: 'Keys in the work queues. A depth that stays high is an alert.',
      unit: 'count',
      lines: { '{{name}}': 'sum by (name) (workqueue_depth)' },
    },
    {
      title: 'Queue latency',
      description: '99th percentile of the time that a key waits in the queue.',
      unit: 's',
      lines: { '{{name}}': slowest('workqueue_queue_duration_seconds', 'name') },
    },
    {
      title: 'Reconcile time',
      description:
        '99th percentile of the reconcile time. A reconcile of the daemon can be a whole update.',
      unit: 's',
      lines: {
        '{{controller}}': slowest('controller_runtime_reconcile_time_seconds', 'controller'),
      },
    },
    {
      title: 'Reconciles',
      description: 'Reconciles per second, by result.',
      unit: 'ops',
      lines: { '{{result}}': `sum by (result) (rate(controller_runtime_reconcile_total${rate}))` },
    },
    {
      title: 'Failed reconciles',
      description:
        'Failed reconciles in an hour. They are retried; a condition reports those that need a user.',
      unit: 'count',
      lines: {
        '{{controller}}':
          'sum by (controller) (increase(controller_runtime_reconcile_errors_total[1h])) > 0',
      },
      whenEmpty: 'None',
    },
    {
      title: 'API requests',
      description: 'Requests per second. An idle cluster needs almost none.',
      unit: 'reqps',
      lines: {
        '{{method}} {{code}}': `sum by (method, code) (rate(rest_client_requests_total${rate}))`,
      },
    },
    {
      title: 'API response time',
      description: '99th percentile of the time until the response starts.',
      unit: 's',
      lines: { '{{verb}}': slowest('rest_client_request_duration_seconds', 'verb') },
    },
    {
      title: 'Watches',
      description: 'Watches that ended and lists that were repeated, in an hour.',
      unit: 'count',
      lines: {
        'ended: {{reason}}':
          'sum by (reason) (increase(machinist_informer_watch_restarts_total[1h]))',
        'listed: {{reason}}': 'sum by (reason) (increase(machinist_informer_relists_total[1h]))',
      },
    },
    {
      title: 'Memory',
      description: 'Resident memory of the largest process of each job.',
      unit: 'bytes',
      lines: { '{{job}}': `max by (job) (process_resident_memory_bytes ${ours})` },
    },
    {
      title: 'CPU',
      description: 'Cores that all processes of a job use.',
      unit: 'short',
      lines: { '{{job}}': `sum by (job) (rate(process_cpu_seconds_total${rate}) ${ours})` },
    },
    {
      title: 'Versions',
      description:
        'Processes of each version. More than one version only during an update of Machinist.',
      unit: 'count',
      lines: { '{{job}} {{version}}': 'count by (job, version) (machinist_build_info)' },
    },
  ],
}
