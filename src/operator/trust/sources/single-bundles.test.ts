import { describe, expect, it } from 'vitest'
import { ca, text } from '@machinist/testing/certificates/certificates'
import { Cluster, given, unreachable } from '../cluster.fixture.ts'
import type { InputResult } from '../facts/facts.ts'
import { cloudCA } from './cloud-ca.ts'
import { configServerCA } from './config-server-ca.ts'

const a = await ca('A')
const b = await ca('B')
const names = { [a]: 'A', [b]: 'B' }
const resultOf = (result: InputResult<string>): string | undefined => {
  if (result.state === 'absent') return 'absent'
  return result.state === 'valid' ? names[text(result.value)] : result.problem.message
}

describe('the CA of the config server', () => {
  it("is the rotated one, or else the installer's", () => {
    expect(resultOf(configServerCA(new Cluster().facts()))).toBe('absent')
    const cluster = new Cluster().put('root', a)
    expect(resultOf(configServerCA(cluster.facts()))).toBe('A')
    expect(resultOf(configServerCA(cluster.put('server', b).facts()))).toBe('B')
    cluster.mark('openshift-machine-config-operator/machine-config-server-ca')
    expect(resultOf(configServerCA(cluster.facts()))).toBe('A')
  })

  it("is not the installer's if the rotated one is invalid", () => {
    const cluster = new Cluster().put('root', a).put('server', '')
    expect(resultOf(configServerCA(cluster.facts()))).toBe(
      'ConfigMap openshift-machine-config-operator/machine-config-server-ca, key ca-bundle.crt: it is empty; add the certificates as PEM',
    )
  })

  it('is required once it existed', () => {
    const cluster = new Cluster().put('root', a)
    cluster.settle()
    expect(resultOf(configServerCA(cluster.remove('root').facts()))).toBe(
      'ConfigMap kube-system/root-ca is missing: create it again',
    )
  })
})

describe('the CAs of the cloud', () => {
  const on = (type: string, cloudConfig?: { name: string }): Cluster => {
    const cluster = new Cluster()
    const spec = cloudConfig ? { cloudConfig } : {}
    cluster.infrastructure = given({ spec, status: { platformStatus: { type } } })
    return cluster
  }
  const missing = 'ConfigMap openshift-config-managed/kube-cloud-config is missing: create it again'

  it.each([
    ['AWS', undefined, 'absent'],
    ['AWS', { name: 'x' }, missing],
    ['Azure', undefined, missing],
    ['VSphere', { name: 'x' }, missing],
  ])('on %s with %j and no ConfigMap: %s', (type, cloudConfig, result) => {
    expect(resultOf(cloudCA(on(type, cloudConfig).facts()))).toBe(result)
  })

  it('are those of the ConfigMap, without other keys', () => {
    expect(resultOf(cloudCA(on('Azure').put('cloud', a).facts()))).toBe('A')
    expect(resultOf(cloudCA(on('Azure').put('cloud', undefined).facts()))).toBe('absent')
    expect(resultOf(cloudCA(new Cluster().put('cloud', b).facts()))).toBe('B')
  })

  it('stay unchanged while the platform is unknown', () => {
    const cluster = new Cluster()
    cluster.infrastructure = unreachable
    expect(resultOf(cloudCA(cluster.facts()))).toBe('cannot read it')
    expect(resultOf(cloudCA(cluster.put('cloud', a).facts()))).toBe('A')
  })
})
