import { describe, expect, it } from 'vitest'
import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import { registriesDigest } from '../../api/trust/digests.ts'
import { isBehind, deliveryStateOf, trustReportOf } from './delivery-state.ts'

describe('a node', () => {
  it.each([
    [
      'the cluster gives nothing',
      undefined,
      { state: 'Current', actual: 'old' } as const,
      'NotGiven',
    ],
    ['it reported nothing', 'new', undefined, 'Unknown'],
    [
      'it has the desired content',
      'new',
      { state: 'Current', desired: 'new', actual: 'new' } as const,
      'Current',
    ],
    // Its report is older than the new content; it may be offline.
    [
      'it has the old content',
      'new',
      { state: 'Current', desired: 'old', actual: 'old' } as const,
      'Lagging',
    ],
    [
      'its file has more content',
      'new',
      { state: 'Current', desired: 'new', actual: 'x' } as const,
      'Current',
    ],
    // The file is written, but its reader is not restarted yet.
    ['it waits', 'new', { state: 'Lagging', desired: 'new', actual: 'new' } as const, 'Lagging'],
    ['it failed', 'new', { state: 'Failed', desired: 'new', actual: 'old' } as const, 'Failed'],
    ['its config has it', 'new', { state: 'Rendered', actual: 'new' } as const, 'Rendered'],
    ['its config has the old', 'new', { state: 'Rendered', actual: 'old' } as const, 'Lagging'],
    ['it was given nothing', 'new', { state: 'NotGiven' } as const, 'Lagging'],
  ])('when %s', (_, desired, report, state) => {
    expect(deliveryStateOf(desired, report)).toBe(state)
  })

  it('is behind in three states', () => {
    const all = ['Current', 'Rendered', 'NotGiven', 'Lagging', 'Failed', 'Unknown'] as const
    expect(all.filter(isBehind)).toEqual(['Lagging', 'Failed', 'Unknown'])
  })
})

const certificate = (name: string, notAfter: string) => ({
  fingerprint: 'f',
  subject: `OU=openshift, CN=${name}`,
  notAfter,
})

describe('the report of a NodeTrust', () => {
  it('is read item by item', () => {
    const report = trustReportOf({
      items: [
        {
          name: 'kubelet-client-ca',
          state: 'Failed',
          message: 'disk full',
          wantedDigest: 'b',
          actualDigest: 'a',
          earliestNotAfter: '2026-11-16T00:00:00Z',
          certificates: [
            // It has a successor.
            certificate('kube-apiserver-to-kubelet-signer', '2026-11-16T00:00:00Z'),
            certificate('ns_kube-apiserver-to-kubelet-signer@1', '2027-11-16T00:00:00Z'),
            certificate('admin-kubeconfig-signer', '2027-01-01T00:00:00Z'),
          ],
        },
        { name: 'cloud-ca', state: 'NotGiven' },
        { name: 'something-new', state: 'Current' },
      ],
    })
    expect([...report]).toEqual([
      [
        'kubelet-client-ca',
        {
          state: 'Failed',
          desired: 'b',
          actual: 'a',
          notAfter: 1_794_787_200_000,
          runsOut: 1_798_761_600_000,
          why: 'disk full',
        },
      ],
      ['cloud-ca', { state: 'NotGiven' }],
    ])
    expect(trustReportOf(undefined).size).toBe(0)
  })

  const registry = (host: string, more: Partial<NodeTrustItem> = {}): NodeTrustItem => ({
    name: `registry-ca/${host}`,
    state: 'Current',
    ...more,
  })
  // sha256sum of "a" and of "b"
  const a = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'
  const b = '3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d'

  it('about registries is one item, with the digest of the annotation', () => {
    const report = trustReportOf({
      items: [
        registry('one:5000', { wantedDigest: a, actualDigest: a }),
        registry('two', { wantedDigest: b, actualDigest: a, state: 'Lagging', message: 'busy' }),
        registry('gone', { state: 'NotGiven' }),
      ],
    }).get('registry-cas')
    const files = (two: string): Map<string, Uint8Array> =>
      new Map([
        ['two', Buffer.from(two)],
        ['one:5000', Buffer.from('a')],
      ])
    expect(report).toEqual({
      state: 'Lagging',
      desired: registriesDigest(files('b')),
      actual: registriesDigest(files('a')),
      why: 'registry-ca/two: busy',
    })
  })

  it('about registries expires with the first of them', () => {
    const report = trustReportOf({
      items: [
        registry('one', { earliestNotAfter: '2027-01-01T00:00:00Z' }),
        registry('two', { earliestNotAfter: '2026-11-16T00:00:00Z' }),
      ],
    }).get('registry-cas')
    expect(report?.notAfter).toBe(1_794_787_200_000)
    expect(
      trustReportOf({ items: [registry('x', { state: 'NotGiven' })] }).get('registry-cas'),
    ).toEqual({
      state: 'NotGiven',
    })
  })
})
