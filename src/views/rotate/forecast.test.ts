import { describe, expect, it } from 'vitest'
import {
  atRest,
  midway,
  newCA,
  node,
  oldCA,
  pool,
  preparing,
  rotation,
  trust,
} from './sample.fixture.ts'
import { plainStyle } from '../../cli/style.ts'
import type { RotationFacts } from './facts.ts'
import { forecastOf } from './forecast.ts'
import { forecastData, forecastLines } from '../../cli/rotate/forecast-text.ts'

/** Before anything has happened: everybody has the old CA. */
const before: RotationFacts = {
  ...midway,
  rotation: rotation(atRest),
  nodeTrusts: midway.nodes!.map(({ metadata }) =>
    trust(metadata.name, [oldCA], { writtenAt: '2025-11-16T14:01:00Z' }),
  ),
}

function text(facts: RotationFacts, width = Infinity): string {
  return `\n${forecastLines(forecastOf(facts), { style: plainStyle, width }).join('\n')}\n`
}

describe('what a rotation would do', () => {
  it('is told with who will hold it up', () => {
    expect(text(before)).toBe(`
Rotation of kubelet-client
  signer      openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
  now         kube-apiserver-to-kubelet-signer@1763301600, until 2026-11-30
  nodes       7 have to trust the new CA before anything is signed by it
              ! worker-3 will hold it up: NotReady since 14:01
  restarts    none: kubelets load the new CA by themselves
  signs anew  openshift-kube-apiserver/kubelet-client
  takes       12 min at least
`)
  })

  it('fits into a narrow window', () => {
    expect(text({ ...before, nodes: [node('worker-1')] }, 60)).toBe(`
Rotation of kubelet-client
  signer      openshift-kube-apiserve…rver-to-kubelet-signer
  now         kube-apiserver-to-kubelet-signer@1763301600,
              until 2026-11-30
  nodes       1 has to trust the new CA before anything is
              signed by it
  restarts    none: kubelets load the new CA by themselves
  signs anew  openshift-kube-apiserver/kubelet-client
  takes       12 min at least
`)
  })

  it('where certificates are in MachineConfigs, paused pools hold them', () => {
    const pools = [pool('master'), pool('worker', true)]
    const facts = { ...before, pools, delivery: 'rendered' as const }
    expect(text(facts)).toContain(`
  nodes       7 have to trust the new CA before anything is signed by it; it comes to them with MachineConfigs, pool by pool
              ! worker-3 will hold it up: NotReady since 14:01
              ! pool worker is paused: its 4 nodes will have the new CA only after that
`)
    expect(forecastOf({ ...facts, delivery: 'direct' }).held).toEqual([])
    const other = rotation(atRest, { trustedBy: 'api-server-ca' })
    expect(forecastOf({ ...facts, rotation: other }).held).toEqual([])
  })

  it('where kubelets have to be restarted, that is said', () => {
    const facts = {
      ...before,
      rotation: rotation(atRest, { trustedBy: 'api-server-ca', targets: [] }),
    }
    expect(text(facts)).toContain(`
  restarts    kubelets, in turns: those of the control plane one after the other, and ten others at once, or 2 % of them; pods go on
  signs anew  nothing
  takes       12 min at least
`)
    // None of them tells anything about that item.
    expect(forecastOf(facts).slow).toHaveLength(7)
  })

  it('names some of very many', () => {
    const nodes = Array.from({ length: 10 }, (_, i) => node(`n${i}`, 'worker', false))
    expect(text({ ...before, nodes })).toContain(`
              ! n7 will hold it up: NotReady since 14:01
              ! and 2 more nodes
  restarts`)
  })

  it('where time alone decides, no node is asked', () => {
    const { trustedBy: _, ...spec } = before.rotation.spec
    expect(text({ ...before, rotation: { ...before.rotation, spec } })).toBe(`
Rotation of kubelet-client
  signer      openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
  now         kube-apiserver-to-kubelet-signer@1763301600, until 2026-11-30
  nodes       none has to follow: time alone decides when certificates are signed by the new CA, and the old one stays until it ends
  restarts    none
  signs anew  openshift-kube-apiserver/kubelet-client
`)
  })

  it('tells what nobody knows', () => {
    const { nodes: _, ...blind } = before
    expect(text({ ...blind, rotation: rotation(undefined) })).toContain(`
  now         not known: no signer has looked at it yet
  nodes       you may not read them: how many have to follow is not known
`)
  })

  it('is told to programs as well', () => {
    expect(forecastData(forecastOf(before))).toEqual({
      rotation: 'kubelet-client',
      signer: 'openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer',
      current: {
        name: 'kube-apiserver-to-kubelet-signer@1763301600',
        fingerprint: 'a'.repeat(64),
        notAfter: '2026-11-30T14:00:00Z',
      },
      trustedBy: 'kubelet-client-ca',
      nodes: 7,
      delivery: 'direct',
      slowNodes: [{ node: 'worker-3', why: 'NotReady since 14:01' }],
      pausedPools: [],
      restarts: 'none',
      signs: ['openshift-kube-apiserver/kubelet-client'],
      atLeastSeconds: 720,
      against: [],
    })
  })
})

describe('what speaks against it', () => {
  it('nothing at rest, nor before anybody has looked', () => {
    expect(forecastOf(before).against).toEqual([])
    expect(forecastOf({ ...before, rotation: rotation(undefined) }).against).toEqual([])
  })

  it('a rotation that is under way, and who holds it up', () => {
    expect(forecastOf(midway).against).toEqual([
      'kubelet-client is being rotated already: Preparing since 14:02, held up by worker-3 (NotReady since 14:01), worker-10 (it is yet to be written)',
    ])
    const laggards = ['a', 'b', 'c', 'd'].map((name) => ({
      name,
      since: '2026-11-16T14:02:00Z',
      why: 'NotReady',
    }))
    const { nodes: _, ...blind } = midway
    const told = { ...blind, rotation: rotation({ ...preparing, nodes: { laggards } }) }
    expect(forecastOf(told).against).toEqual([
      'kubelet-client is being rotated already: Preparing since 14:02, held up by a (NotReady), b (NotReady), c (NotReady) and 1 more',
    ])
  })

  it('that it is Degraded', () => {
    const conditions = [
      {
        type: 'Degraded',
        status: 'True' as const,
        reason: 'BadBundle',
        message: 'line 7 is no certificate',
        lastTransitionTime: '2026-11-15T10:00:00Z',
      },
    ]
    expect(
      forecastOf({ ...before, rotation: rotation({ ...atRest, conditions }) }).against,
    ).toEqual([
      'kubelet-client is Degraded since 2026-11-15 10:00 (BadBundle): line 7 is no certificate',
    ])
    const fine = [{ type: 'Degraded', status: 'False' as const }]
    expect(
      forecastOf({ ...before, rotation: rotation({ ...atRest, conditions: fine }) }).against,
    ).toEqual([])
  })

  it('not that a node still has a CA of before', () => {
    const nodeTrusts = [trust('n', [newCA, oldCA], { writtenAt: '2025-11-16T14:01:00Z' })]
    expect(forecastOf({ ...before, nodes: [node('n')], nodeTrusts }).slow).toEqual([])
  })
})
