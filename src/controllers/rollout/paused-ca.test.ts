import { beforeAll, expect, it } from 'vitest'
import type { MachineConfig } from '../../api/resources.ts'
import { base64Source } from '../../ignition/content.ts'
import { createAuthority } from '../../pki/issue.ts'
import { heldBackUntil } from './paused-ca.ts'

const from = Date.parse('2021-12-07T00:00:00Z')

async function authority(name: string, untilSeconds: number): Promise<string> {
  const validity = { from, until: untilSeconds * 1000 }
  return (await createAuthority({ name, validity })).certificate
}

function rendered(...certificates: readonly string[]): MachineConfig {
  const source = base64Source(certificates.join(''))
  const files = [{ path: '/etc/kubernetes/kubelet-ca.crt', contents: { source } }]
  return {
    metadata: { name: 'rendered-worker' },
    spec: { config: { ignition: { version: '3.2.0' }, storage: { files } } },
  }
}

let older: string
let newer: string
let other: string
beforeAll(async () => {
  const name = 'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@1638843908'
  older = await authority('kube-apiserver-to-kubelet-signer', 1_660_000_000)
  newer = await authority(name, 1_670_379_908)
  other = await authority('admin-kubeconfig-signer', 1_900_000_000)
})

it('a paused pool that holds a new kubelet CA back says until when the old one lasts', () => {
  const current = rendered(older, other, newer)
  expect(heldBackUntil({ current, wanted: rendered(newer) })).toBe(1_670_379_908)
  expect(heldBackUntil({ current: rendered(older), wanted: current })).toBe(1_660_000_000)
})

it('holds nothing back when the bundle is the same, or not part of the configuration', () => {
  expect(heldBackUntil(undefined)).toBe(0)
  expect(heldBackUntil({ current: rendered(newer), wanted: rendered(newer) })).toBe(0)
  const plain: MachineConfig = { metadata: { name: 'rendered-worker' } }
  expect(heldBackUntil({ current: plain, wanted: plain })).toBe(0)
  expect(heldBackUntil({ current: plain, wanted: rendered(newer) })).toBe(0)
})

it('is not confused by other authorities and unreadable files', () => {
  expect(heldBackUntil({ current: rendered(other), wanted: rendered(newer) })).toBe(0)
  expect(heldBackUntil({ current: rendered('no certificate'), wanted: rendered(newer) })).toBe(0)
  const files = [
    { path: '/etc/kubernetes/kubelet-ca.crt', contents: { source: 'https://example.com' } },
  ]
  const elsewhere: MachineConfig = {
    metadata: { name: 'rendered-worker' },
    spec: { config: { storage: { files } } },
  }
  expect(heldBackUntil({ current: elsewhere, wanted: rendered(newer) })).toBe(0)
})
