import { beforeAll, describe, expect, it } from 'vitest'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { createAuthority, validFor } from '@machinist/pki/issue'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { certificatesOf } from './certificates.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
let pem = ''

beforeAll(async () => {
  const clock = new VirtualClock(Date.parse('2026-01-02T03:04:05Z'))
  const authority = await createAuthority({
    name: 'root, ca',
    validity: validFor(clock, 3_600_000),
  })
  pem = authority.certificate
})

describe('the certificates in a ControllerConfig', () => {
  it('are listed with their bundle, and invalid data is skipped', () => {
    const spec = {
      kubeAPIServerServingCAData: base64(`# a comment\n${pem}-----BEGIN CERTIFICATE-----\nAAAA\n`),
      cloudProviderCAData: '?',
      rootCAData: null,
      additionalTrustBundle: base64('-----BEGIN'),
      imageRegistryBundleData: [{ file: 'registry..5000', data: base64(pem) }],
      imageRegistryBundleUserData: [],
    } as unknown as ControllerConfig['spec']
    const listed = certificatesOf({ metadata: { name: 'c' }, spec })
    expect(listed.map(({ bundleFile }) => bundleFile)).toEqual([
      'KubeAPIServerServingCAData',
      'registry..5000',
    ])
    expect(listed[0]).toMatchObject({
      subject: 'CN=root\\, ca',
      signer: 'CN=root\\, ca',
    })
    expect(listed[0]?.notAfter).toMatch(/^2026-01-02T0\d:\d\d:05Z$/)
  })
})
