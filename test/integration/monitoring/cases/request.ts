import type { RuleCases } from './rule-cases.ts'

const flooded = 'MachinistCertificateRequestsFlooded critical'

export const requestCases: RuleCases = {
  file: 'request',
  alerts: ['MachinistCertificateRequestsLeft warning', flooded],
  names: ['signer'],
  labels: { rule: 'Addresses' },
  cases: {
    'no request is left': [{ machinist_certificate_requests_left: 0 }],
    'one is left': [
      { machinist_certificate_requests_left: 1 },
      'MachinistCertificateRequestsLeft warning',
    ],
    'one was asked anew': [{ 'machinist_certificate_requests_left{rule="NotTheNewest"}': 1 }],
    'one is old': [{ 'machinist_certificate_requests_left{rule="TooOld"}': 1 }],
  },
  alone: {
    'they are few': [{ machinist_certificate_requests_flooded: 0 }],
    'they are many': [{ machinist_certificate_requests_flooded: 1 }, flooded],
  },
  whenSilent: [],
}
