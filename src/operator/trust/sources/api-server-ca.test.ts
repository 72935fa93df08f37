import { describe, expect, it } from 'vitest'
import { base64, ca, text, today } from '@machinist/testing/certificates/certificates'
import { Cluster } from '../cluster.fixture.ts'
import { decide } from '../decide.ts'
import { apiServerCA } from './api-server-ca.ts'

const a = await ca('A')
const b = await ca('B')
const c = await ca('C')
const target = 'openshift-machine-config-operator/kubeconfig-data'
const rotate = 'machineconfiguration.openshift.io/service-ca-rotate'
const digests = 'machinist.dev/trust-digests'

/** A cluster whose clock advances by the requeue times. */
class Following extends Cluster {
  /** The content that nodes get now. */
  get handedOn(): string {
    return text(this.configMaps.get(target)?.binaryData?.['ca-bundle.crt'])
  }

  get isRotating(): string | undefined {
    return this.controllerConfig?.metadata.annotations?.[rotate]
  }

  get digest(): string | undefined {
    const value = this.controllerConfig?.metadata.annotations?.[digests] ?? '{}'
    return (JSON.parse(value) as Record<string, string>)['api-server-ca']
  }

  get annotations(): Record<string, string> {
    return this.configMaps.get(target)?.metadata.annotations ?? {}
  }

  after(seconds: number): this {
    this.now += seconds * 1000
    this.settle()
    return this
  }

  /** A settled cluster with these CAs. */
  static with(pem: string): Following {
    const cluster = new Following()
    cluster.put('apiServer', pem).settle()
    return cluster.after(3600)
  }
}

describe('the CAs of the API server', () => {
  it('are published immediately if nodes have none, and that is a rotation', () => {
    const cluster = new Following()
    cluster.put('apiServer', a + b).settle()
    expect(cluster.handedOn).toBe(a + b)
    expect(cluster.isRotating).toBe('true')
    expect(cluster.after(59).isRotating).toBe('true')
    expect(cluster.after(1).isRotating).toBe('false')
  })

  it('are published when they have been unchanged for a minute', () => {
    const cluster = Following.with(a)
    const before = cluster.digest
    cluster.put('apiServer', a + b).settle()
    expect(cluster.handedOn).toBe(a)
    expect(cluster.settle().requeueAfterMs).toBe(60_000)
    expect(cluster.after(59).handedOn).toBe(a)
    expect(cluster.isRotating).toBe('false')
    expect(cluster.settle().requeueAfterMs).toBe(1000)
    expect(cluster.after(1).handedOn).toBe(a + b)
    expect(cluster.isRotating).toBe('true')
    expect(cluster.digest).not.toBe(before)
    expect(Object.keys(cluster.annotations)).toEqual(['machinist.dev/rotated-at'])
    expect(cluster.settle().requeueAfterMs).toBe(60_000)
    expect(cluster.after(60).isRotating).toBe('false')
  })

  it('are published in one write', () => {
    const cluster = Following.with(a)
    cluster.put('apiServer', b).settle()
    cluster.now += 60_000
    expect(apiServerCA(cluster.facts()).write).toMatchObject({
      patch: {
        metadata: {
          annotations: {
            'machinist.dev/pending': null,
            'machinist.dev/rotated-at': new Date(cluster.now).toISOString(),
          },
        },
        binaryData: { 'ca-bundle.crt': base64(b) },
      },
    })
  })

  it('are published once after two changes within a minute', () => {
    const cluster = Following.with(a)
    const seen: string[] = []
    let since: number | undefined
    cluster.put('apiServer', a + b).settle()
    for (let second = 1; second <= 200; second++) {
      if (second === 40) cluster.put('apiServer', a + b + c)
      cluster.after(1)
      const now = `${cluster.handedOn === a ? 'old' : 'new'} ${cluster.isRotating}`
      if (seen.at(-1) !== now) seen.push(now)
      if (cluster.handedOn !== a) since ??= second
    }
    expect(seen).toEqual(['old false', 'new true', 'new false'])
    expect(since).toBe(100)
    expect(cluster.handedOn).toBe(a + b + c)
  })

  it('in another order or with other whitespace are published without a rotation', () => {
    const cluster = Following.with(a + b)
    const before = cluster.digest
    cluster.put('apiServer', `${b}\n\n${a}`).settle()
    cluster.after(60)
    expect(cluster.handedOn).toBe(`${b}\n\n${a}`)
    expect(cluster.isRotating).toBe('false')
    expect(cluster.digest).toBe(before)
  })

  it('are published sooner with a shorter settle time', () => {
    const cluster = Following.with(a)
    cluster.put('apiServer', b).settle()
    const facts = { ...cluster.facts(), settleMs: 2000 }
    expect(apiServerCA({ ...facts, now: facts.now + 1999 })).not.toHaveProperty('write')
    expect(apiServerCA({ ...facts, now: facts.now + 2000 })).toHaveProperty('write')
  })

  it('stay unchanged when a change is reverted in time', () => {
    const cluster = Following.with(a)
    cluster.put('apiServer', b).settle()
    expect(Object.keys(cluster.annotations)).toContain('machinist.dev/pending')
    cluster.put('apiServer', a).settle()
    expect(Object.keys(cluster.annotations)).not.toContain('machinist.dev/pending')
    expect(cluster.after(3600).handedOn).toBe(a)
  })

  it('stay unchanged when they become invalid or missing, which is reported', () => {
    const cluster = Following.with(a)
    cluster.put('apiServer', 'garbage').settle()
    cluster.after(3600)
    expect(cluster.handedOn).toBe(a)
    cluster.remove('apiServer')
    expect(apiServerCA(cluster.facts()).result).toMatchObject({
      state: 'invalid',
      problem: {
        reason: 'Missing',
        message:
          'ConfigMap openshift-config-managed/kube-apiserver-server-ca is missing: create it again',
      },
    })
    expect(cluster.after(3600).handedOn).toBe(a)
    expect(cluster.digest).toBeDefined()
  })

  it('are removed from nodes on purpose, and stay for joining machines', () => {
    const cluster = Following.with(a)
    cluster.mark('openshift-config-managed/kube-apiserver-server-ca')
    cluster.settle()
    expect(cluster.digest).toBeUndefined()
    expect(cluster.handedOn).toBe(a)
  })

  it('replace unusable published CAs immediately', () => {
    const cluster = Following.with(a)
    const metadata = { namespace: 'openshift-machine-config-operator', name: 'kubeconfig-data' }
    cluster.configMaps.set(target, { metadata, data: { 'ca-bundle.crt': 'garbage' } })
    cluster.settle()
    expect(cluster.handedOn).toBe(a)
    expect(cluster.configMaps.get(target)?.data).toEqual({})
  })

  it('keep their digest while kubeconfig-data is unreadable', () => {
    const cluster = new Following()
    cluster.put('apiServer', a).settle()
    const facts = cluster.facts()
    const problem = { reason: 'NotReachable', message: 'cannot read it' }
    const configMaps = new Map([...facts.configMaps, [target, { state: 'unknown', problem }]])
    const { controllerConfig, requeueAfterMs } = decide({ ...facts, configMaps })
    expect(cluster.digest).toMatch(/^[0-9a-f]{64}$/)
    expect([controllerConfig, requeueAfterMs]).toEqual([undefined, 60_000])
  })

  it('are absent without a source', () => {
    expect(apiServerCA(new Cluster().facts())).toEqual({
      result: { state: 'absent' },
      isRotating: false,
    })
  })

  it.each([
    ['no JSON', '{'],
    ['no time', '{"digest":"x","since":"soon"}'],
    ['a time in the future', JSON.stringify({ digest: 'x', since: '2099-01-01T00:00:00Z' })],
  ])('wait a minute from now if the pending annotation is %s', (_, pending) => {
    const cluster = Following.with(a)
    cluster.annotations['machinist.dev/pending'] = pending
    cluster.put('apiServer', b).settle()
    expect(cluster.after(59).handedOn).toBe(a)
    expect(cluster.after(1).handedOn).toBe(b)
  })

  it('do not rotate forever because of a wrong clock', () => {
    const cluster = Following.with(a)
    cluster.annotations['machinist.dev/rotated-at'] = new Date(today + 1e12).toISOString()
    cluster.settle()
    expect(cluster.isRotating).toBe('false')
  })
})
