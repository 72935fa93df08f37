import type { Row } from './panel.ts'

const day = 86_400

export const trust: Row = {
  title: 'Trust on nodes',
  panels: [
    {
      title: 'Trust items by state',
      description:
        'Items on nodes. Lagging and Unknown resolve by themselves; Failed needs a user.',
      unit: 'count',
      lines: { '{{state}}': 'sum by (state) (max by (item, state) (machinist_trust_nodes))' },
    },
    {
      title: 'Lagging nodes',
      description: 'Nodes without the current value of an item.',
      unit: 'count',
      lines: { '{{item}}': 'max by (item) (machinist_trust_lagging_nodes)' },
    },
    {
      title: 'Longest lag',
      description: 'How long a node has lagged. Seconds are normal, half an hour is an alert.',
      unit: 's',
      lines: { '{{item}}': 'max by (item) (machinist_trust_oldest_lag_seconds)' },
    },
    {
      title: 'Expiry on nodes',
      description:
        'The first certificate of each item that expires without a successor on the node.',
      unit: 's',
      lines: { '{{item}}': 'min by (item) (machinist_trust_runs_out_seconds) - time()' },
      shape: 'bars',
      limits: [30 * day, 14 * day],
    },
    {
      title: 'Expiry in the sources',
      description: 'The first certificate in use of each input of the operator.',
      unit: 's',
      lines: {
        '{{input}}': 'min by (input) (machinist_operator_input_not_after_seconds) - time()',
      },
      shape: 'bars',
      limits: [30 * day, 14 * day],
    },
    {
      title: 'Paused pools that hold back a kubelet CA',
      description: 'Time until it expires. Only with rendered delivery of certificates.',
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
      title: 'Invalid inputs',
      description: 'Their last valid value stays in use.',
      unit: 'count',
      lines: { '{{input}}': 'max by (input) (machinist_operator_input_degraded) == 1' },
      shape: 'states',
      width: 12,
      limits: [1, 1],
      whenEmpty: 'None',
    },
    {
      title: 'Writes on nodes',
      description: 'Writes and removals of items by daemons in an hour. Zero on an idle cluster.',
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
      description: 'Phase of each TrustRotation. Days in Preparing mean that nodes delay it.',
      unit: 'count',
      lines: {
        '{{rotation}}: {{phase}}': 'max by (rotation, phase) (machinist_rotation_phase) == 1',
      },
      shape: 'states',
    },
    {
      title: 'Nodes that do not trust the current CA',
      description: 'The current CA signs nothing before all nodes trust it.',
      unit: 'count',
      lines: { '{{rotation}}': 'max by (rotation) (machinist_rotation_lagging_nodes)' },
    },
    {
      title: 'Certificates of the signer expire in',
      description:
        'CAs and leaf certificates. Each is renewed when 20 % of its validity is left, at the latest.',
      unit: 's',
      lines: {
        '{{kind}} {{namespace}}/{{name}}':
          'max by (kind, namespace, name) (machinist_certificate_not_after_seconds) - time()',
      },
      shape: 'bars',
      limits: [7 * day, day],
    },
    {
      title: 'Certificate requests of kubelets that need a user',
      description: 'By the rule that they violate: docs/certificate-requests.md.',
      unit: 'count',
      lines: {
        '{{signer}}: {{rule}}': 'sum by (signer, rule) (machinist_certificate_requests_left) > 0',
      },
      width: 12,
      whenEmpty: 'None',
    },
    {
      title: 'Approved certificate requests of kubelets',
      description: 'Approvals in an hour.',
      unit: 'count',
      lines: {
        '{{signer}}':
          'sum by (signer) (increase(machinist_certificate_requests_approved_total[1h]))',
      },
      width: 12,
    },
  ],
}
