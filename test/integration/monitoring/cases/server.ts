import type { SeriesValues } from '../firing.ts'
import type { RuleCases } from './rule-cases.ts'

const day = 86_400
const expiry = 'machinist_server_certificate_expiry_timestamp_seconds'
const expires = (days: number): SeriesValues => ({ [expiry]: 7200 + days * day })
/** Renewed every few hours, with this many days left. */
const renewed = (days: number): SeriesValues => ({
  [expiry]: `${7200 + (days - 1) * day}x90 ${7200 + days * day}x110`,
})
const server = (state: number): SeriesValues => ({ 'up{job="machine-config-server"}': state })
/** One request per minute, with these cumulative shares of the buckets. */
const durations = (shares: Readonly<Record<string, number>>): SeriesValues =>
  Object.fromEntries(
    Object.entries(shares).map(([le, share]) => [
      `machinist_server_request_duration_seconds_bucket{le="${le}"}`,
      `0+${share}x200`,
    ]),
  )
const none = 'MachinistNoServer critical'
const credential = 'machinist_server_credential_expiry_timestamp_seconds'
const alive = { machinist_server_state_age_seconds: 0 }

export const serverCases: RuleCases = {
  file: 'server',
  alerts: [
    none,
    'MachinistServerDown warning',
    'MachinistServerRefuses warning',
    'MachinistServerFails warning',
    'MachinistServerNoCredential critical',
    'MachinistServerSlow warning',
    'MachinistServerStale warning',
    'MachinistServerCertificateExpires warning',
    'MachinistServerCertificateExpires critical',
  ],
  names: ['node', 'reason'],
  cases: {
    'a server that Prometheus reaches': [server(1)],
    'a server that Prometheus does not reach': [server(0), 'MachinistServerDown warning'],
    'another program that is down': [{ 'up{job="other"}': 0 }],
    'ten refusals in half an hour': [{ machinist_server_refusals_total: '0+0.3x200' }],
    'a refusal every two minutes': [
      { machinist_server_refusals_total: '0+0.5x200' },
      'MachinistServerRefuses warning',
    ],
    'refusals that ended an hour ago': [{ machinist_server_refusals_total: '0+5x60 300x140' }],
    'a state that is 15 minutes old': [{ machinist_server_state_age_seconds: 900 }],
    'an older state': [{ machinist_server_state_age_seconds: 901 }, 'MachinistServerStale warning'],
    'a certificate with 15 days left': [expires(15)],
    'a certificate with 13 days left': [expires(13), 'MachinistServerCertificateExpires warning'],
    'a certificate with 2 days left': [expires(2), 'MachinistServerCertificateExpires critical'],
    'a certificate for 2 days, renewed': [renewed(2)],
    'a certificate that expired': [expires(-1), 'MachinistServerCertificateExpires critical'],
    'a certificate that was renewed, and expired': [
      renewed(-1),
      'MachinistServerCertificateExpires critical',
    ],
  },
  alone: {
    'few errors': [{ ...alive, 'machinist_server_requests_total{code="503"}': '0+0.3x200' }],
    'errors again and again': [
      {
        ...alive,
        'machinist_server_requests_total{code="503"}': '0+0.3x200',
        'machinist_server_requests_total{code="500"}': '0+0.3x200',
      },
      'MachinistServerFails warning',
    ],
    'served and refused requests': [
      {
        ...alive,
        'machinist_server_requests_total{code="200"}': '0+9x200',
        'machinist_server_requests_total{code="401"}': '0+9x200',
      },
    ],
    'credentials that are renewed': [
      { ...alive, [`${credential}{pod="a"}`]: '3600+60x200', [`${credential}{pod="b"}`]: 0 },
    ],
    'no credential that is valid long enough': [
      { ...alive, [`${credential}{pod="a"}`]: 300, [`${credential}{pod="b"}`]: 0 },
      'MachinistServerNoCredential critical',
    ],
    'fast responses': [{ ...alive, ...durations({ '0.5': 8, '2.5': 9, '10': 10, '+Inf': 10 }) }],
    'slow responses': [
      { ...alive, ...durations({ '0.5': 2, '2.5': 4, '10': 10, '+Inf': 10 }) },
      'MachinistServerSlow warning',
    ],
    'no requests': [{ ...alive, ...durations({ '0.5': 0, '2.5': 0, '+Inf': 0 }) }],
  },
  whenSilent: [none],
}
