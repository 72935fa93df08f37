import { describe, expect, it } from 'vitest'
import { base64, ca, text } from '@machinist/testing/certificates'
import { Cluster, given, unreachable } from './cluster.fixture.ts'
import type { RegistryBundle } from '../../api/kinds/controller-config.ts'
import { decide } from './decide.ts'
import type { Verdict } from './facts.ts'
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
const said = (verdict: Verdict<Bundles>): string => {
  if (verdict.state === 'bad') return `${verdict.problem.message} | ${list(verdict.value)}`
  return verdict.state === 'good' ? list(verdict.value) : 'absent'
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

  /** What other operators find. */
  merged(): Record<string, string> {
    const { data = {} } = this.configMaps.get(merged) ?? {}
    return Object.fromEntries(Object.entries(data).map(([key, pem]) => [key, names[pem]!]))
  }
}

describe('CAs of image registries', () => {
  it('are one for each key: text in order, then binary; base64 is decoded', () => {
    const cluster = new Registries().set(
      managedMap,
      { 'z..5000': a, b: base64(b) },
      { 'a..5000': base64(c) },
    )
    expect(said(managedRegistryCAs(cluster.facts()))).toBe('b=B z..5000=A a..5000=C')
  })

  it('may be none', () => {
    expect(said(managedRegistryCAs(new Registries().facts()))).toBe('absent')
    expect(said(managedRegistryCAs(new Registries().set(managedMap).facts()))).toBe('absent')
    expect(said(userRegistryCAs(new Registries().facts()))).toBe('absent')
    expect(said(userRegistryCAs(new Registries().named('').facts()))).toBe('absent')
  })

  it('go with the name in Image, not with the ConfigMap', () => {
    const cluster = new Registries().named().set(userMap, { x: a })
    cluster.settle()
    cluster.configMaps.delete(userMap)
    expect(said(userRegistryCAs(cluster.facts()))).toBe(
      'ConfigMap openshift-config/registry-cas, which spec.additionalTrustedCA of Image cluster names, is not there: bring it back, or take the name away | ',
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

  it('stay for the registry whose key is bad, and go on for the others', () => {
    const cluster = new Registries().set(managedMap, { x: a, y: a })
    cluster.settle()
    cluster.set(managedMap, { x: 'garbage', y: b, z: c, new: '' })
    expect(said(managedRegistryCAs(cluster.facts()))).toBe(
      'ConfigMap openshift-config-managed/image-registry-ca, key new: is empty: put the certificates there as PEM (and 1 more keys) | x=A y=B z=C',
    )
    cluster.settle()
    expect(list(cluster.controllerConfig?.spec.imageRegistryBundleData)).toBe('x=A y=B z=C')
    cluster.set(managedMap, { y: b, z: c })
    cluster.settle()
    expect(list(cluster.controllerConfig?.spec.imageRegistryBundleData)).toBe('y=B z=C')
  })
})

describe('the ConfigMap with the CAs of all registries', () => {
  it('has the administrators before the clusters own', () => {
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

  it('is emptied with the last of them, and put right when somebody changes it', () => {
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

  it('is made where somebody looks for it: with Image, or when there are CAs', () => {
    expect(decide(new Registries().facts()).mergedCAs).toBeUndefined()
    expect(decide(new Registries().named('').facts()).mergedCAs).toMatchObject({ create: {} })
    const given = new Registries().set(managedMap, { x: a })
    expect(decide(given.facts()).mergedCAs).toMatchObject({ create: { data: { x: a } } })
  })

  it('is not made on other clusters, which may not even have its namespace', () => {
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

  it('holds what is no text as bytes', () => {
    const latin1 = Buffer.concat([Buffer.from([0x23, 0xfc, 0x0a]), Buffer.from(a)])
    const cluster = new Registries().set(managedMap, {}, { x: base64(latin1) })
    cluster.settle()
    expect(cluster.configMaps.get(merged)?.binaryData).toEqual({ x: base64(latin1) })
  })
})
