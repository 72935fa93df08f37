import type { Row } from './panel.ts'

const of = 'pool=~"$pool"'
const nodes = (which: string): string => `sum(max by (pool) (mco_${which}machine_count{${of}}))`

/** Matches every alert of deploy/monitoring. */
const alerts =
  '(Machinist|MachineConfigController|MC[CD]|KubeletHealth|SystemMemory|HighOverall|ExtremelyHighIndividual).*'

export const glance: Row = {
  title: 'At a glance',
  panels: [
    {
      title: 'Nodes',
      description: 'Nodes in these pools.',
      unit: 'count',
      lines: { nodes: nodes('') },
      shape: 'stat',
      width: 4,
    },
    {
      title: 'Updated',
      description:
        'Nodes that run the config of their pool. Less than 100 %: a rollout is in progress or blocked.',
      unit: 'percentunit',
      lines: { updated: `${nodes('updated_')} / ${nodes('')}` },
      shape: 'stat',
      width: 4,
    },
    {
      title: 'Degraded',
      description: 'Nodes that failed to apply a config.',
      unit: 'count',
      lines: { degraded: nodes('degraded_') },
      shape: 'stat',
      width: 4,
      limits: [1, 1],
    },
    {
      title: 'Unavailable',
      description: 'Nodes that are out of service: cordoned, not ready, or updating.',
      unit: 'count',
      lines: { unavailable: nodes('unavailable_') },
      shape: 'stat',
      width: 4,
      limits: [1, 10],
    },
    {
      title: 'Alerts',
      description: 'Firing alerts of Machinist. Each has a runbook in docs/runbooks.',
      unit: 'count',
      lines: {
        alerts: `count(ALERTS{alertstate="firing",alertname=~"${alerts}"}) or vector(0)`,
      },
      shape: 'stat',
      width: 4,
      limits: [1, 5],
    },
    {
      title: 'First certificate expires in',
      description: 'The first certificate on a node that expires without a successor.',
      unit: 's',
      lines: { left: 'min(machinist_trust_runs_out_seconds) - time()' },
      shape: 'stat',
      width: 4,
      limits: [14 * 86_400, 3 * 86_400],
    },
  ],
}

export const pools: Row = {
  title: 'Pools and rollouts',
  panels: [
    {
      title: 'Updated nodes',
      description: 'Progress of each rollout: both lines meet when it is completed.',
      unit: 'count',
      lines: {
        '{{pool}}: updated': `max by (pool) (mco_updated_machine_count{${of}})`,
        '{{pool}}: all': `max by (pool) (mco_machine_count{${of}})`,
      },
    },
    {
      title: 'Rollout state',
      description:
        'The reason of the condition Updating of the pool. Blocked and StoppedByFailures need a user.',
      unit: 'count',
      lines: { '{{pool}}: {{state}}': `max by (pool, state) (machinist_pool_rollout{${of}}) == 1` },
      shape: 'states',
    },
    {
      title: 'Unavailable and degraded nodes',
      description: 'Nodes that count against maxUnavailable of each pool.',
      unit: 'count',
      lines: {
        '{{pool}}: unavailable': `max by (pool) (mco_unavailable_machine_count{${of}})`,
        '{{pool}}: degraded': `max by (pool) (mco_degraded_machine_count{${of}})`,
      },
    },
    {
      title: 'Degraded pools',
      description: 'The degraded condition of the pool, while it is True.',
      unit: 'count',
      lines: {
        '{{pool}}: {{condition}}': `max by (pool, condition) (machinist_pool_degraded{${of}}) == 1`,
      },
      shape: 'states',
      limits: [1, 1],
      whenEmpty: 'None',
    },
    {
      title: 'Invalid settings',
      description:
        'Templates, KubeletConfigs, ContainerRuntimeConfigs and registries. Nodes keep their last valid values.',
      unit: 'count',
      lines: {
        'templates of {{role}}': 'max by (role) (machinist_templates_failing) == 1',
        '{{kind}} {{name}}': 'max by (kind, name) (machinist_settings_failing) == 1',
      },
      shape: 'states',
      limits: [1, 1],
      whenEmpty: 'None',
    },
    {
      title: 'Nodes without their pinned images',
      description: 'Nodes that are pulling images, or failed to pull them.',
      unit: 'count',
      lines: {
        '{{pool}}: {{state}}': `max by (pool, state) (machinist_pinned_images_nodes_behind{${of}})`,
      },
      whenEmpty: 'None',
    },
  ],
}

export const machines: Row = {
  title: 'Nodes and drains',
  panels: [
    {
      title: 'Nodes by state',
      description: 'The state that daemons report: Done, Working, Degraded, Unreconcilable.',
      unit: 'count',
      lines: { '{{state}}': 'count by (state) (mcd_state)' },
    },
    {
      title: 'Operating systems',
      description: 'Nodes by OS version. Two versions during an update of the OS.',
      unit: 'count',
      lines: { '{{os}} {{version}}': 'count by (os, version) (mcd_host_os_and_version)' },
    },
    {
      title: 'Problems on nodes',
      description:
        'Nodes with drift, with an unhealthy kubelet, or with a failed OS update; failed reboots.',
      unit: 'count',
      lines: {
        drifted: 'count(mcd_config_drift > 0) or vector(0)',
        'kubelet unhealthy': 'count(mcd_kubelet_state > 0) or vector(0)',
        'OS update failed': 'count(mcd_pivot_errors_total > 0) or vector(0)',
        'failed reboots in an hour': 'sum(increase(mcd_reboots_failed_total[1h])) or vector(0)',
      },
    },
    {
      title: 'Drains and uncordons in the last hour',
      description: 'Nodes by drain state.',
      unit: 'count',
      lines: {
        '{{state}}': 'count by (state) (time() - mcc_sub_controller_state < 3600)',
      },
    },
    {
      title: 'Slow drains',
      description: 'The condition Drained of the MachineConfigNode names the pods that block it.',
      unit: 'count',
      lines: { '{{node}}': 'max by (node) (mcc_drain_err) > 0' },
      shape: 'states',
      limits: [1, 1],
      whenEmpty: 'None',
    },
    {
      title: 'Unsupported packages',
      description: 'Packages that were manually added to or removed from the OS image of a node.',
      unit: 'count',
      lines: { '{{node}}': 'max by (node) (mcd_local_unsupported_packages) > 0' },
      whenEmpty: 'None',
    },
  ],
}
