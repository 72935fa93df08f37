import type { Row } from './panel.ts'

const day = 86_400

export const trust: Row = {
  title: 'Trust: what nodes have been given',
  panels: [
    {
      title: 'Nodes by what they hold',
      description: 'Items on nodes. Lagging and Unknown are waited for; Failed needs a person.',
      unit: 'count',
      lines: { '{{state}}': 'sum by (state) (max by (item, state) (machinist_trust_nodes))' },
    },
    {
      title: 'Nodes that lag',
      description: 'Nodes that lack what the cluster wants them to have.',
      unit: 'count',
      lines: { '{{item}}': 'max by (item) (machinist_trust_lagging_nodes)' },
    },
    {
      title: 'For how long',
      description:
        'Since when the first of them lacks it. Seconds are usual, half an hour is an alert.',
      unit: 's',
      lines: { '{{item}}': 'max by (item) (machinist_trust_oldest_lag_seconds)' },
    },
    {
      title: 'What ends when, on nodes',
      description: 'The first certificate of each item that ends without a successor on the node.',
      unit: 's',
      lines: { '{{item}}': 'min by (item) (machinist_trust_runs_out_seconds) - time()' },
      shape: 'bars',
      limits: [30 * day, 14 * day],
    },
    {
      title: 'What ends when, in the sources',
      description: 'The first certificate of each input of the operator that still counts.',
      unit: 's',
      lines: {
        '{{input}}': 'min by (input) (machinist_operator_input_not_after_seconds) - time()',
      },
      shape: 'bars',
      limits: [30 * day, 14 * day],
    },
    {
      title: 'Paused pools that hold a kubelet CA',
      description: 'When it runs out. Only where certificates are delivered in MachineConfigs.',
      unit: 's',
      lines: {
        '{{pool}}':
          '(max by (pool) (machine_config_controller_paused_pool_kubelet_ca) > 0) - time()',
      },
      shape: 'bars',
      limits: [30 * day, 14 * day],
      whenEmpty: 'None',
    },
    {
      title: 'Inputs that cannot be used',
      description: 'Their last good value stays in force.',
      unit: 'count',
      lines: { '{{input}}': 'max by (input) (machinist_operator_input_degraded) == 1' },
      shape: 'states',
      width: 12,
      limits: [1, 1],
      whenEmpty: 'All can be used',
    },
    {
      title: 'Written on nodes',
      description: 'How often daemons wrote an item, or took it away, in an hour. At rest: never.',
      unit: 'count',
      lines: { '{{item}}': 'sum by (item) (increase(machinist_trust_written_total[1h]))' },
      width: 12,
    },
  ],
}

export const rotations: Row = {
  title: 'Rotations and certificates',
  panels: [
    {
      title: 'Phase',
      description: 'What each TrustRotation does. Days in Preparing: nodes hold it up.',
      unit: 'count',
      lines: {
        '{{rotation}}: {{phase}}': 'max by (rotation, phase) (machinist_rotation_phase) == 1',
      },
      shape: 'states',
    },
    {
      title: 'Nodes that do not trust the current CA',
      description: 'Nothing is signed by it before they do.',
      unit: 'count',
      lines: { '{{rotation}}': 'max by (rotation) (machinist_rotation_lagging_nodes)' },
    },
    {
      title: 'Certificates of the signer end in',
      description:
        'CAs and what they signed. Each is renewed when a fifth of its life is left at the latest.',
      unit: 's',
      lines: {
        '{{kind}} {{namespace}}/{{name}}':
          'max by (kind, namespace, name) (machinist_certificate_not_after_seconds) - time()',
      },
      shape: 'bars',
      limits: [7 * day, day],
    },
    {
      title: 'Requests of kubelets that wait for a person',
      description: 'By the rule that they break: docs/certificate-requests.md.',
      unit: 'count',
      lines: {
        '{{signer}}: {{rule}}': 'sum by (signer, rule) (machinist_certificate_requests_left) > 0',
      },
      width: 12,
      whenEmpty: 'None',
    },
    {
      title: 'Requests of kubelets that were approved',
      description: 'In an hour.',
      unit: 'count',
      lines: {
        '{{signer}}':
          'sum by (signer) (increase(machinist_certificate_requests_approved_total[1h]))',
      },
      width: 12,
    },
  ],
}
