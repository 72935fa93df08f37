import { describe, expect, it } from 'vitest'
import { directRotation, renderedRotation, sampleComparison, withNode } from './sample.fixture.ts'
import { problemsOf } from './expectations.ts'
import type { NodeRotation, ComparedRotation } from './facts.ts'

const ofRendered = (rendered: ComparedRotation): string[] =>
  problemsOf({ ...sampleComparison, rendered })
const ofDirect = (direct: ComparedRotation): string[] => problemsOf({ ...sampleComparison, direct })
const rendered = (name: string, change: Partial<NodeRotation>): string[] =>
  ofRendered(withNode(renderedRotation, name, change))
const direct = (name: string, change: Partial<NodeRotation>): string[] =>
  ofDirect(withNode(directRotation, name, change))
const services = { daemonReloads: 0, services: [], reboots: 0 }

describe('a failed expectation', () => {
  it('does not exist in a good comparison', () => {
    expect(problemsOf(sampleComparison)).toEqual([])
  })

  it('is a signer that rotates without a reason or not at all', () => {
    const issuerOnly = { seconds: 2, rotated: true, filesWritten: 3 }
    expect(ofDirect({ ...directRotation, issuerOnly })).toEqual([
      'direct: the signer rotated when it lost certificate-issuer',
      'direct: files changed when it lost certificate-issuer',
    ])
    const { authority: _, ...without } = renderedRotation
    expect(ofRendered(without)).toEqual(['rendered: no new CA was created'])
    expect(ofRendered({ ...without, missed: 'a new CA in the signer' })).toEqual([
      'rendered: timed out waiting for a new CA in the signer',
    ])
  })

  it.each([
    [rendered('worker-0', { trusts: false }), 'rendered: no new CA on worker-0'],
    [rendered('infra-0', { trusts: true }), 'rendered: paused, but a new CA on infra-0'],
    [direct('infra-1', { trusts: false }), 'direct: paused, but no new CA on infra-1'],
    [rendered('master-0', { cordons: 1 }), 'rendered: cordoned master-0'],
    [direct('master-0', { drains: 1 }), 'direct: drained master-0'],
    [direct('master-1', { services: { ...services, reboots: 1 } }), 'direct: rebooted master-1'],
    [
      direct('master-1', { services: { ...services, daemonReloads: 1 } }),
      'direct: systemd reloaded on master-1',
    ],
    [
      rendered('worker-1', { services: { ...services, services: ['restart crio.service'] } }),
      'rendered: services restarted on worker-1',
    ],
    [
      direct('worker-1', { written: ['/etc/motd'] }),
      'direct: files other than /etc/kubernetes/kubelet-ca.crt written on worker-1',
    ],
    [
      direct('worker-1', { removed: ['/etc/motd'] }),
      'direct: files other than /etc/kubernetes/kubelet-ca.crt written on worker-1',
    ],
  ])('is found on nodes: %j', (found, expected) => {
    expect(found).toContain(expected)
  })

  it('is a systemd daemon-reload, with direct delivery only', () => {
    expect(rendered('worker-0', { services: { ...services, daemonReloads: 4 } })).toEqual([])
  })

  it('is a wrong number of new configs', () => {
    const [first, ...others] = renderedRotation.newConfigs
    expect(ofRendered({ ...renderedRotation, newConfigs: others })).toEqual([
      'rendered: no new config for pool master instead of one',
    ])
    const twice = [first!, first!, ...others]
    expect(ofRendered({ ...renderedRotation, newConfigs: twice })).toEqual([
      'rendered: 2 new configs for pool master instead of one',
    ])
    expect(ofDirect({ ...directRotation, newConfigs: [first!] })).toEqual([
      'direct: 1 new config instead of none',
    ])
  })

  it('is a rotation that proceeds without a node, or does not complete', () => {
    const over = { phase: 'Completed', laggards: [], holdingOld: 0 }
    expect(ofRendered({ ...renderedRotation, end: over })).toEqual([
      'rendered: the rotation proceeds without infra-0 and infra-1',
    ])
    const others = { phase: 'Preparing', laggards: ['infra-0', 'worker-1'], holdingOld: 6 }
    expect(ofRendered({ ...renderedRotation, end: others })).toEqual([
      'rendered: the rotation waits for worker-1',
    ])
    const stuck = { phase: 'Completing', laggards: [], holdingOld: 1 }
    expect(ofDirect({ ...directRotation, end: stuck, evictions: 2 })).toEqual([
      'direct: 2 pods evicted',
      'direct: the rotation is Completing, not Completed',
      'direct: the old CA is still on 1 node',
    ])
  })
})
