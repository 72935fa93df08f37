import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ControllerConfigSpec } from '../kinds/controller-config.ts'
import { emptyControllerConfigSpec } from '../kinds/new-controller-config.ts'
import {
  bundleFile,
  fingerprintsDigest,
  readTrustDigests,
  registryFiles,
  specDigests,
} from './digests.ts'
import { registryHost } from './items.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const spec = (more: Partial<ControllerConfigSpec>): ControllerConfigSpec => ({
  ...emptyControllerConfigSpec,
  ...more,
})

describe('the file of a bundle', () => {
  it.each([
    ['a', 'a\n'],
    ['a\n', 'a\n'],
    ['a\n\n', 'a\n\n'],
    ['a\r\n', 'a\r\n'],
  ])('of %j is %j', (data, file) => {
    expect(Buffer.from(bundleFile(base64(data))).toString()).toBe(file)
  })
})

describe('registry CA files', () => {
  it('are named by host and port, and the administrator overrides the cluster', () => {
    const files = registryFiles({
      imageRegistryBundleData: [
        { file: 'a..5000', data: base64('cluster') },
        { file: 'b', data: base64('b') },
      ],
      imageRegistryBundleUserData: [{ file: 'a..5000', data: base64('admin') }],
    })
    expect([...files].map(([host, file]) => [host, Buffer.from(file).toString()])).toEqual([
      ['a:5000', 'admin'],
      ['b', 'b'],
    ])
    expect(registryHost('image-registry.openshift-image-registry.svc..5000')).toBe(
      'image-registry.openshift-image-registry.svc:5000',
    )
  })
})

describe('trust digests', () => {
  it('are the SHA-256 of the file content', () => {
    expect(specDigests(spec({ kubeAPIServerServingCAData: base64('hello') }))).toEqual({
      'kubelet-client-ca': '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
    })
  })

  it('are absent for items that the cluster does not provide', () => {
    expect(specDigests(spec({ imageRegistryBundleData: [] }))).toEqual({})
  })

  it('of certificates do not depend on order or duplicates', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (fingerprints) => {
        const again = [...fingerprints.toReversed(), ...fingerprints]
        expect(fingerprintsDigest(again)).toBe(fingerprintsDigest(fingerprints))
      }),
    )
    expect(fingerprintsDigest(['a'])).not.toBe(fingerprintsDigest(['b']))
  })

  it.each([
    [undefined, undefined],
    ['no JSON', undefined],
    ['[]', undefined],
    ['{"cloud-ca":"x","other":"y","api-server-ca":1}', { 'cloud-ca': 'x' }],
    ['{}', {}],
  ])('parse from %j as %j', (annotation, digests) => {
    expect(readTrustDigests(annotation)).toEqual(digests)
  })
})
