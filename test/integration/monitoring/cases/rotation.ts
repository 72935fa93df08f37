import type { SeriesValues } from '../firing.ts'
import type { RuleCases } from './rule-cases.ts'

const day = 86_400
const held = (seconds: number): SeriesValues => ({ machinist_rotation_oldest_lag_seconds: seconds })
const metric = (kind: string): string => `machinist_certificate_not_after_seconds{kind="${kind}"}`
const ends = (kind: string, days: number): SeriesValues => ({ [metric(kind)]: 7200 + days * day })
/** Renewed every few hours, with this many days left. */
const renewed = (kind: string, days: number): SeriesValues => ({
  [metric(kind)]: `${7200 + (days - 1) * day}x90 ${7200 + days * day}x110`,
})

export const rotationCases: RuleCases = {
  file: 'rotation',
  alerts: [
    'MachinistRotationHeldUp warning',
    'MachinistRotationHeldUp critical',
    'MachinistRotationDegraded warning',
    'MachinistSignerUnwatched warning',
    'MachinistSignerNotRenewed warning',
    'MachinistSignerNotRenewed critical',
    'MachinistLeafNotRenewed warning',
    'MachinistLeafNotRenewed critical',
  ],
  names: ['rotation', 'name'],
  labels: { namespace: 'example' },
  cases: {
    'a rotation that waits for an hour': [held(3600)],
    'a rotation that waits for a day': [held(day + 1), 'MachinistRotationHeldUp warning'],
    'a rotation that waits for a month': [held(30 * day + 1), 'MachinistRotationHeldUp critical'],
    'a rotation in order': [{ machinist_rotation_degraded: 0 }],
    'a rotation with something in its way': [
      { machinist_rotation_degraded: 1 },
      'MachinistRotationDegraded warning',
    ],
    'a signer with 31 days left': [ends('signer', 31)],
    'a signer with 29 days left': [ends('signer', 29), 'MachinistSignerNotRenewed warning'],
    'a signer with 6 days left': [ends('signer', 6), 'MachinistSignerNotRenewed critical'],
    'a signer for 6 days, renewed': [renewed('signer', 6)],
    'a signer that ended': [ends('signer', -1), 'MachinistSignerNotRenewed critical'],
    'a leaf with 5 days left': [ends('target', 5)],
    'a leaf with 3 days left': [ends('target', 3), 'MachinistLeafNotRenewed warning'],
    'a leaf with 12 hours left': [ends('target', 0.5), 'MachinistLeafNotRenewed critical'],
    'a leaf for 12 hours, renewed': [renewed('target', 0.5)],
    'a leaf that ended': [ends('target', -1), 'MachinistLeafNotRenewed critical'],
    'a leaf that was renewed, and ended': [
      renewed('target', -1),
      'MachinistLeafNotRenewed critical',
    ],
  },
  whenSilent: ['MachinistSignerUnwatched warning'],
}
