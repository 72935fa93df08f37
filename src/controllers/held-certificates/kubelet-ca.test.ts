import { beforeAll, describe, expect, it } from 'vitest'
import { base64Source } from '@machinist/ignition/content'
import { createAuthority } from '@machinist/pki/issue'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { isSameTrust, kubeletCAIn, trustedUntil } from './kubelet-ca.ts'

const from = Date.parse('2021-12-07T00:00:00Z')

async function authority(name: string, untilSeconds: number): Promise<string> {
  const validity = { from, until: untilSeconds * 1000 }
  return (await createAuthority({ name, validity })).certificate
}

const withFile = (source: string, path = '/etc/kubernetes/kubelet-ca.crt'): MachineConfig => ({
  metadata: { name: 'rendered-worker' },
  spec: {
    config: {
      ignition: { version: '3.2.0' },
      storage: { files: [{ path, contents: { source } }] },
    },
  },
})

let older: string
let newer: string
let other: string
beforeAll(async () => {
  const name = 'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@1638843908'
  older = await authority('kube-apiserver-to-kubelet-signer', 1_660_000_000)
  newer = await authority(name, 1_670_379_908)
  other = await authority('admin-kubeconfig-signer', 1_900_000_000)
})

describe('the kubelet CA of a config', () => {
  it('is the text of its file', () => {
    expect(kubeletCAIn(withFile(base64Source('text')))).toBe('text')
    expect(kubeletCAIn(withFile('data:,'))).toBe('')
  })

  it.each([
    ['no config at all', { metadata: { name: 'x' } }],
    ['another file', withFile('data:,x', '/etc/kubernetes/ca.crt')],
    ['a remote file', withFile('https://example.com')],
    [
      'an invalid config',
      { metadata: { name: 'x' }, spec: { config: { storage: { files: 'no list' } } } },
    ],
  ])('is not in %s', (_, config) => {
    expect(kubeletCAIn(config)).toBeUndefined()
  })
})

describe('its expiry', () => {
  it('is that of the last signer of the API server', () => {
    expect(trustedUntil(older + other + newer)).toEqual({
      until: 1_670_379_908_000,
      isSigner: true,
    })
    expect(trustedUntil(older + other)).toEqual({ until: 1_660_000_000_000, isSigner: true })
  })

  it('is that of the last certificate if no signer has a known name', () => {
    expect(trustedUntil(other)).toEqual({ until: 1_900_000_000_000, isSigner: false })
    expect(trustedUntil('no certificate')).toEqual({ until: undefined, isSigner: false })
  })
})

describe('two bundles', () => {
  it('are equal in another order, or with repetitions', () => {
    expect(isSameTrust(older + newer, `${newer}\n# remark\n${older}${older}`)).toBe(true)
    expect(isSameTrust('', '')).toBe(true)
  })

  it('differ by a certificate, or by invalid content', () => {
    expect(isSameTrust(older, older + newer)).toBe(false)
    expect(isSameTrust(older, newer)).toBe(false)
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    expect(isSameTrust(older, older + broken)).toBe(false)
  })
})
