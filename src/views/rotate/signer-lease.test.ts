import { expect, it } from 'vitest'
import type { Lease } from '@machinist/kube/kinds/coordination'
import { now } from './sample.fixture.ts'
import { signerLeaseState } from './signer-lease.ts'

const lease = (spec: NonNullable<Lease['spec']>): Lease => ({ metadata: { name: 'x' }, spec })
const held = { holderIdentity: 'signer-0', leaseDurationSeconds: 137 }
const where = 'Lease openshift-machine-config-operator/machinist-signer'

it.each<[string, Lease | undefined, boolean, string]>([
  ['none', undefined, false, `${where} does not exist; machinist signer starts a signer`],
  ['released', lease({ holderIdentity: '' }), false, `${where} has no holder`],
  [
    'held',
    lease({ ...held, renewTime: '2026-11-16T14:04:00.000000Z' }),
    true,
    `signer-0 holds ${where}`,
  ],
  [
    'expired',
    lease({ ...held, renewTime: '2026-11-16T13:00:00.000000Z' }),
    false,
    `signer-0 holds ${where}, but last renewed it at 13:00`,
  ],
])('a lease: %s', (_, found, isRunning, detail) => {
  expect(signerLeaseState(found, now)).toEqual({ isRunning, detail })
})
