import { expect, it } from 'vitest'
import { now } from '../../views/rotate/sample.fixture.ts'
import type { Lease } from '@machinist/kube/kinds/coordination'
import { signerSeen } from './signer-lease.ts'

const lease = (spec: NonNullable<Lease['spec']>): Lease => ({ metadata: { name: 'x' }, spec })
const held = { holderIdentity: 'signer-0', leaseDurationSeconds: 137 }
const where = 'Lease openshift-machine-config-operator/machinist-signer'

it.each<[string, Lease | undefined, boolean, string]>([
  ['none', undefined, false, `there is no ${where}; machinist signer starts one`],
  ['given back', lease({ holderIdentity: '' }), false, `nobody holds ${where}`],
  [
    'held',
    lease({ ...held, renewTime: '2026-11-16T14:04:00.000000Z' }),
    true,
    `signer-0 holds ${where}`,
  ],
  [
    'held by one that is gone',
    lease({ ...held, renewTime: '2026-11-16T13:00:00.000000Z' }),
    false,
    `signer-0 holds ${where}, but last said so at 13:00`,
  ],
])('a lease: %s', (_, found, runs, says) => {
  expect(signerSeen(found, now)).toEqual({ runs, says })
})
