import { describe, expect, it } from 'vitest'
import { ca, text } from '@machinist/testing/certificates'
import { Cluster, given, unreachable } from './cluster.fixture.ts'
import { cloudCA } from './cloud-ca.ts'
import { configServerCA } from './config-server-ca.ts'
import type { Verdict } from './facts.ts'

const a = await ca('A')
const b = await ca('B')
const names = { [a]: 'A', [b]: 'B' }
const said = (verdict: Verdict<string>): string | undefined => {
  if (verdict.state === 'absent') return 'absent'
  return verdict.state === 'good' ? names[text(verdict.value)] : verdict.problem.message
}

describe('the CA of the config server', () => {
  it('is the one that is rotated, else the installers', () => {
    expect(said(configServerCA(new Cluster().facts()))).toBe('absent')
    const cluster = new Cluster().put('root', a)
    expect(said(configServerCA(cluster.facts()))).toBe('A')
    expect(said(configServerCA(cluster.put('server', b).facts()))).toBe('B')
    cluster.mark('openshift-machine-config-operator/machine-config-server-ca')
    expect(said(configServerCA(cluster.facts()))).toBe('A')
  })

  it('is not the installers because the one that is rotated is bad', () => {
    const cluster = new Cluster().put('root', a).put('server', '')
    expect(said(configServerCA(cluster.facts()))).toBe(
      'ConfigMap openshift-machine-config-operator/machine-config-server-ca, key ca-bundle.crt: is empty: put the certificates there as PEM',
    )
  })

  it('has to be there once it was', () => {
    const cluster = new Cluster().put('root', a)
    cluster.settle()
    expect(said(configServerCA(cluster.remove('root').facts()))).toBe(
      'ConfigMap kube-system/root-ca is not there: bring it back',
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
  const missing = 'ConfigMap openshift-config-managed/kube-cloud-config is not there: bring it back'

  it.each([
    ['AWS', undefined, 'absent'],
    ['AWS', { name: 'x' }, missing],
    ['Azure', undefined, missing],
    ['VSphere', { name: 'x' }, missing],
  ])('on %s with %j and no ConfigMap: %s', (type, cloudConfig, result) => {
    expect(said(cloudCA(on(type, cloudConfig).facts()))).toBe(result)
  })

  it('are what the ConfigMap gives, whatever else it lacks', () => {
    expect(said(cloudCA(on('Azure').put('cloud', a).facts()))).toBe('A')
    expect(said(cloudCA(on('Azure').put('cloud', undefined).facts()))).toBe('absent')
    expect(said(cloudCA(new Cluster().put('cloud', b).facts()))).toBe('B')
  })

  it('stay while nobody knows which cloud this is', () => {
    const cluster = new Cluster()
    cluster.infrastructure = unreachable
    expect(said(cloudCA(cluster.facts()))).toBe('the API does not say')
    expect(said(cloudCA(cluster.put('cloud', a).facts()))).toBe('A')
  })
})
