import type { Row } from './panel.ts'

const of = 'pool=~"$pool"'
const nodes = (which: string): string => `sum(max by (pool) (mco_${which}machine_count{${of}}))`

/** All of deploy/monitoring. */
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
        'Nodes that run the configuration of their pool. Less than all: a rollout is under way or held up.',
      unit: 'percentunit',
      lines: { updated: `${nodes('updated_')} / ${nodes('')}` },
      shape: 'stat',
      width: 4,
    },
    {
      title: 'Degraded',
      description: 'Nodes that failed to take a configuration.',
      unit: 'count',
      lines: { degraded: nodes('degraded_') },
      shape: 'stat',
      width: 4,
      limits: [1, 1],
    },
    {
      title: 'Unavailable',
      description:
        'Nodes that are out of service: cordoned, not ready, or on their way to a configuration.',
      unit: 'count',
      lines: { unavailable: nodes('unavailable_') },
      shape: 'stat',
      width: 4,
      limits: [1, 10],
    },
    {
      title: 'Alerts',
      description: 'Alerts of Machinist that fire. Each names a page in docs/runbooks.',
      unit: 'count',
      lines: {
        alerts: `count(ALERTS{alertstate="firing",alertname=~"${alerts}"}) or vector(0)`,
      },
      shape: 'stat',
      width: 4,
      limits: [1, 5],
    },
    {
      title: 'First certificate ends in',
      description: 'The first certificate on a node that ends without a successor.',
      unit: 's',
      lines: { left: 'min(machinist_trust_runs_out_seconds) - time()' },
      shape: 'stat',
      width: 4,
      limits: [14 * 86_400, 3 * 86_400],
    },
  ],
}

export const pools: Row = {
  title: 'Pools and their rollouts',
  panels: [
    {
      title: 'Updated nodes',
      description: 'How far each rollout is: the lower line meets the upper one when it is over.',
      unit: 'count',
      lines: {
        '{{pool}}: updated': `max by (pool) (mco_updated_machine_count{${of}})`,
        '{{pool}}: all': `max by (pool) (mco_machine_count{${of}})`,
      },
    },
    {
      title: 'State of the rollout',
      description:
        'As the condition Updating of the pool says it. Blocked and StoppedByFailures need a person.',
      unit: 'count',
      lines: { '{{pool}}: {{state}}': `max by (pool, state) (machinist_pool_rollout{${of}}) == 1` },
      shape: 'states',
    },
    {
      title: 'Out of service, and failed',
      description: 'What counts against maxUnavailable of each pool.',
      unit: 'count',
      lines: {
        '{{pool}}: unavailable': `max by (pool) (mco_unavailable_machine_count{${of}})`,
        '{{pool}}: degraded': `max by (pool) (mco_degraded_machine_count{${of}})`,
      },
    },
    {
      title: 'What is wrong with pools',
      description: 'The condition of the pool that says so, while it holds.',
      unit: 'count',
      lines: {
        '{{pool}}: {{condition}}': `max by (pool, condition) (machinist_pool_degraded{${of}}) == 1`,
      },
      shape: 'states',
      limits: [1, 1],
      whenEmpty: 'Nothing is wrong',
    },
    {
      title: 'Settings that cannot be used',
      description:
        'Templates, KubeletConfigs, ContainerRuntimeConfigs and registries. Nodes keep what they have.',
      unit: 'count',
      lines: {
        'templates of {{role}}': 'max by (role) (machinist_templates_failing) == 1',
        '{{kind}} {{name}}': 'max by (kind, name) (machinist_settings_failing) == 1',
      },
      shape: 'states',
      limits: [1, 1],
      whenEmpty: 'All can be used',
    },
    {
      title: 'Nodes without their pinned images',
      description: 'On their way, or unable to get them.',
      unit: 'count',
      lines: {
        '{{pool}}: {{state}}': `max by (pool, state) (machinist_pinned_images_nodes_behind{${of}})`,
      },
      whenEmpty: 'Nobody waits for images',
    },
  ],
}

export const machines: Row = {
  title: 'Nodes and drains',
  panels: [
    {
      title: 'Nodes by state',
      description: 'What the daemons say: Done, Working, Degraded, Unreconcilable.',
      unit: 'count',
      lines: { '{{state}}': 'count by (state) (mcd_state)' },
    },
    {
      title: 'Operating systems',
      description: 'During a change of the OS there are two.',
      unit: 'count',
      lines: { '{{os}} {{version}}': 'count by (os, version) (mcd_host_os_and_version)' },
    },
    {
      title: 'Trouble on nodes',
      description:
        'Nodes whose disk was changed by somebody, whose kubelet is not well, or whose OS cannot be changed; reboots that were refused.',
      unit: 'count',
      lines: {
        drifted: 'count(mcd_config_drift > 0) or vector(0)',
        'kubelet not well': 'count(mcd_kubelet_state > 0) or vector(0)',
        'OS does not change': 'count(mcd_pivot_errors_total > 0) or vector(0)',
        'reboots refused in an hour': 'sum(increase(mcd_reboots_failed_total[1h])) or vector(0)',
      },
    },
    {
      title: 'Drains and uncordons in the last hour',
      description: 'Nodes, by what was done to them.',
      unit: 'count',
      lines: {
        '{{state}}': 'count by (state) (time() - mcc_sub_controller_state < 3600)',
      },
    },
    {
      title: 'Drains that take too long',
      description: 'The condition Drained of the MachineConfigNode names the pods that stay.',
      unit: 'count',
      lines: { '{{node}}': 'max by (node) (mcc_drain_err) > 0' },
      shape: 'states',
      limits: [1, 1],
      whenEmpty: 'None',
    },
    {
      title: 'Packages that no configuration asks for',
      description: 'Put on the OS image of a node, or taken from it, by hand.',
      unit: 'count',
      lines: { '{{node}}': 'max by (node) (mcd_local_unsupported_packages) > 0' },
      whenEmpty: 'None',
    },
  ],
}
