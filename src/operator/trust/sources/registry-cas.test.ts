import { describe, expect, it } from 'vitest'
import { base64, ca, text } from '@machinist/testing/certificates/certificates'
import { Cluster, given, unreachable } from '../cluster.fixture.ts'
import type { RegistryBundle } from '../../../api/kinds/controller-config.ts'
import { decide } from '../decide.ts'
import type { InputResult } from '../facts/facts.ts'
import { managedRegistryCAs, userRegistryCAs } from './registry-cas.ts'

const a = await ca('A')
const b = await ca('B')
const c = await ca('C')
const names = { [a]: 'A', [b]: 'B', [c]: 'C' }
const managedMap = 'openshift-config-managed/image-registry-ca'
const userMap = 'openshift-config/registry-cas'
const merged = 'openshift-config-managed/merged-trusted-image-registry-ca'

type Bundles = readonly RegistryBundle[]
const list = (bundles: Bundles | undefined = []): string =>
  bundles.map(({ file, data }) => `${file}=${names[text(data)]}`).join(' ')
const resultOf = (result: InputResult<Bundles>): string => {
  if (result.state === 'invalid') return `${result.problem.message} | ${list(result.value)}`
  return result.state === 'valid' ? list(result.value) : 'absent'
}

class Registries extends Cluster {
  set(object: string, data?: Record<string, string>, binaryData?: Record<string, string>): this {
    const [namespace, name] = object.split('/')
    const metadata = { namespace: namespace!, name: name! }
    const given = { ...(data && { data }), ...(binaryData && { binaryData }) }
    this.configMaps.set(object, { metadata, ...given })
    return this
  }

  named(name = 'registry-cas'): this {
    this.image = given({ spec: { additionalTrustedCA: { name } } })
    return this
  }

  /** The merged ConfigMap. */
  merged(): Record<string, string> {
    const { data = {} } = this.configMaps.get(merged) ?? {}
    return Object.fromEntries(Object.entries(data).map(([key, pem]) => [key, names[pem]!]))
  }
}

describe('CAs of image registries', () => {
  it('have one bundle for each key: text in order, then binary; base64 is decoded', () => {
    const cluster = new Registries().set(
      managedMap,
      { 'z..5000': a, b: base64(b) },
      { 'a..5000': base64(c) },
    )
    expect(resultOf(managedRegistryCAs(cluster.facts()))).toBe('b=B z..5000=A a..5000=C')
  })

  it('are optional', () => {
    expect(resultOf(managedRegistryCAs(new Registries().facts()))).toBe('absent')
    expect(resultOf(managedRegistryCAs(new Registries().set(managedMap).facts()))).toBe('absent')
    expect(resultOf(userRegistryCAs(new Registries().facts()))).toBe('absent')
    expect(resultOf(userRegistryCAs(new Registries().named('').facts()))).toBe('absent')
  })

  it('are removed with the reference in Image, not with the ConfigMap', () => {
    const cluster = new Registries().named().set(userMap, { x: a })
    cluster.settle()
    cluster.configMaps.delete(userMap)
    expect(resultOf(userRegistryCAs(cluster.facts()))).toBe(
      'ConfigMap openshift-config/registry-cas, which spec.additionalTrustedCA of Image cluster references, is missing: create it, or remove the reference | ',
    )
    cluster.settle()
    expect(list(cluster.controllerConfig?.spec.imageRegistryBundleUserData)).toBe('x=A')
    cluster.image = unreachable
    cluster.settle()
    expect(list(cluster.controllerConfig?.spec.imageRegistryBundleUserData)).toBe('x=A')
    cluster.named('')
    cluster.settle()
    expect(list(cluster.controllerConfig?.spec.imageRegistryBundleUserData)).toBe('')
  })

  it('stay unchanged for a registry with an invalid key', () => {
    const cluster = new Registries().set(managedMap, { x: a, y: a })
    cluster.settle()
    cluster.set(managedMap, { x: 'garbage', y: b, z: c, new: '' })
    expect(resultOf(managedRegistryCAs(cluster.facts()))).toBe(
      'ConfigMap openshift-config-managed/image-registry-ca, key new: it is empty; add the certificates as PEM (and 1 more keys) | x=A y=B z=C',
    )
    cluster.settle()
    expect(list(cluster.controllerConfig?.spec.imageRegistryBundleData)).toBe('x=A y=B z=C')
    cluster.set(managedMap, { y: b, z: c })
    cluster.settle()
    expect(list(cluster.controllerConfig?.spec.imageRegistryBundleData)).toBe('y=B z=C')
  })
})

describe('the ConfigMap with the CAs of all registries', () => {
  it("prefers the administrator's CAs", () => {
    const cluster = new Registries().named().set(managedMap, { x: a, y: a }).set(userMap, { y: b })
    cluster.settle()
    expect(cluster.merged()).toEqual({ x: 'A', y: 'B' })
    expect(cluster.configMaps.get(merged)?.metadata.annotations).toEqual({
      'openshift.io/owning-component': 'Machine Config Operator',
    })
    const spec = cluster.controllerConfig!.spec
    expect(list(spec.imageRegistryBundleData)).toBe('x=A y=A')
    expect(list(spec.imageRegistryBundleUserData)).toBe('y=B')
  })

  it('is emptied with the last CA, and repaired when another writer changes it', () => {
    const cluster = new Registries().named().set(managedMap, { x: a })
    cluster.settle()
    cluster.set(merged, { x: 'other', more: 'x' }, { z: 'AA==' })
    cluster.settle()
    expect(cluster.configMaps.get(merged)).toMatchObject({ data: { x: a }, binaryData: {} })
    expect(cluster.merged()).toEqual({ x: 'A' })
    cluster.configMaps.delete(managedMap)
    cluster.settle()
    expect(cluster.merged()).toEqual({})
  })

  it('is created with an Image, or with CAs', () => {
    expect(decide(new Registries().facts()).mergedCAs).toBeUndefined()
    expect(decide(new Registries().named('').facts()).mergedCAs).toMatchObject({ create: {} })
    const given = new Registries().set(managedMap, { x: a })
    expect(decide(given.facts()).mergedCAs).toMatchObject({ create: { data: { x: a } } })
  })

  it('is not created in other clusters, which may not have its namespace', () => {
    const plain = new Registries().named().set(userMap, { x: a })
    plain.image = {
      ...plain.image,
      source: { kind: 'ConfigMap', name: 'machinist-cluster' },
    } as Registries['image']
    const { controllerConfig, mergedCAs } = decide(plain.facts())
    expect(list(controllerConfig?.spec.imageRegistryBundleUserData)).toBe('x=A')
    expect(mergedCAs).toBeUndefined()
    plain.image = unreachable
    expect(decide(plain.facts()).mergedCAs).toBeUndefined()
  })

  it('has binary content in binaryData', () => {
    const latin1 = Buffer.concat([Buffer.from([0x23, 0xfc, 0x0a]), Buffer.from(a)])
    const cluster = new Registries().set(managedMap, {}, { x: base64(latin1) })
    cluster.settle()
    expect(cluster.configMaps.get(merged)?.binaryData).toEqual({ x: base64(latin1) })
  })
})
