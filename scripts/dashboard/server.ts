import type { Row } from './panel.ts'

const rate = '[$__rate_interval]'
const duration = 'machinist_server_request_duration_seconds_bucket'
const quantile = (share: number): string =>
  `histogram_quantile(${share}, sum by (le) (rate(${duration}${rate})))`

export const server: Row = {
  title: 'Machine config server',
  panels: [
    {
      title: 'Served configs',
      description: 'Configs that new machines got in an hour, by pool.',
      unit: 'count',
      lines: {
        '{{pool}}':
          'sum by (pool) (increase(machinist_server_configs_served_total{pool=~"$pool"}[1h]))',
      },
    },
    {
      title: 'Responses',
      description:
        'Responses in an hour, by status code. Machines repeat requests that end with 5xx.',
      unit: 'count',
      lines: { '{{code}}': 'sum by (code) (increase(machinist_server_requests_total[1h]))' },
    },
    {
      title: 'Refused clients',
      description:
        'Requests without a valid provisioning token in an hour, by reason. Events of the pools name the addresses.',
      unit: 'count',
      lines: {
        '{{reason}}': 'sum by (reason) (increase(machinist_server_refusals_total[1h])) > 0',
      },
      whenEmpty: 'None',
    },
    {
      title: 'Errors and closed connections',
      description: 'Requests without a config, and connections that exceeded a limit, in an hour.',
      unit: 'count',
      lines: {
        '{{reason}}': 'sum by (reason) (increase(machinist_server_errors_total[1h])) > 0',
        'closed: {{reason}}':
          'sum by (reason) (increase(machinist_server_connections_closed_total[1h])) > 0',
      },
      whenEmpty: 'None',
    },
    {
      title: 'Response time',
      description:
        'Time from the request until the machine has the response. It includes the network of the machine.',
      unit: 's',
      lines: { '50 %': quantile(0.5), '99 %': quantile(0.99) },
    },
    {
      title: 'Age of the served state',
      description:
        'Time since the API server confirmed the configs and CAs. More than 15 minutes is an alert.',
      unit: 's',
      lines: { '{{node}}': 'max by (node) (machinist_server_state_age_seconds)' },
    },
    {
      title: 'Certificate expires in',
      description: 'The serving certificate that each server presents.',
      unit: 's',
      lines: {
        '{{node}}':
          'min by (node) (machinist_server_certificate_expiry_timestamp_seconds) - time()',
      },
    },
    {
      title: 'Credential expires in',
      description:
        'The credential in the kubeconfig of new machines. Below 20 minutes a server answers with 503.',
      unit: 's',
      lines: {
        '{{node}}': 'min by (node) (machinist_server_credential_expiry_timestamp_seconds) - time()',
      },
    },
    {
      title: 'Connections and memory of prepared configs',
      description: 'Open connections, and the memory of configs that are ready to be served.',
      unit: 'short',
      lines: {
        '{{node}}: connections': 'max by (node) (machinist_server_connections)',
        '{{node}}: MB': 'max by (node) (machinist_server_prepared_bytes) / 1e6',
      },
    },
  ],
}
