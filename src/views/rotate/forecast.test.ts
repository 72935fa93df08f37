import { describe, expect, it } from 'vitest'
import { plainStyle } from '../../cli/text/style.ts'
import { planLines } from '../../cli/commands/rotate/plan.ts'
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
import type { RotationFacts } from './facts.ts'
import { forecastOf } from './forecast.ts'
import { rotatePlan } from './plan.ts'
import { forecastData } from './as-data.ts'

/** Before the rotation: every node has the old CA. */
const before: RotationFacts = {
  ...midway,
  rotation: rotation(atRest),
  nodeTrusts: midway.nodes!.map(({ metadata }) =>
    trust(metadata.name, [oldCA], { writtenAt: '2025-11-16T14:01:00Z' }),
  ),
}

function text(facts: RotationFacts, width = Infinity): string {
  return `\n${planLines(rotatePlan(facts), { style: plainStyle, width }).join('\n')}\n`
}

describe('the plan of a rotation', () => {
  it('names the nodes that will delay it', () => {
    expect(text(before)).toBe(`
Rotation of kubelet-client
  signer    openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
  current   kube-apiserver-to-kubelet-signer@1763301600, until 2026-11-30
  nodes     7 must trust the new CA before it signs anything
            ! worker-3 will delay it: NotReady since 14:01
  restarts  none: kubelets reload the new CA by themselves
  reissues  openshift-kube-apiserver/kubelet-client
  duration  at least 12 min
`)
  })

  it('fits a narrow window', () => {
    expect(text({ ...before, nodes: [node('worker-1')] }, 60)).toBe(`
Rotation of kubelet-client
  signer    openshift-kube-apiserver…erver-to-kubelet-signer
  current   kube-apiserver-to-kubelet-signer@1763301600,
            until 2026-11-30
  nodes     1 must trust the new CA before it signs anything
  restarts  none: kubelets reload the new CA by themselves
  reissues  openshift-kube-apiserver/kubelet-client
  duration  at least 12 min
`)
  })

  it('names paused pools with rendered delivery', () => {
    const pools = [pool('master'), pool('worker', true)]
    const facts = { ...before, pools, delivery: 'rendered' as const }
    expect(text(facts)).toContain(`
  nodes     7 must trust the new CA before it signs anything; MachineConfigs deliver it, pool by pool
            ! worker-3 will delay it: NotReady since 14:01
            ! pool worker is paused: its 4 nodes will get the new CA only when it is resumed
`)
    expect(forecastOf({ ...facts, delivery: 'direct' }).held).toEqual([])
    const other = rotation(atRest, { trustedBy: 'api-server-ca' })
    expect(forecastOf({ ...facts, rotation: other }).held).toEqual([])
  })

  it('shows the restarts of kubelets', () => {
    const facts = {
      ...before,
      rotation: rotation(atRest, { trustedBy: 'api-server-ca', targets: [] }),
    }
    expect(text(facts)).toContain(`
  restarts  kubelets, in turns: one control plane node at a time, and ten other nodes at a time, or 2 % of them; pods keep running
  reissues  nothing
  duration  at least 12 min
`)
    // No node reports this item.
    expect(forecastOf(facts).slow).toHaveLength(7)
  })

  it('limits the number of named nodes', () => {
    const nodes = Array.from({ length: 10 }, (_, i) => node(`n${i}`, 'worker', false))
    expect(text({ ...before, nodes })).toContain(`
            ! n7 will delay it: NotReady since 14:01
            ! and 2 more nodes
  restarts`)
  })

  it('does not involve nodes if time alone decides', () => {
    const { trustedBy: _, ...spec } = before.rotation.spec
    expect(text({ ...before, rotation: { ...before.rotation, spec } })).toBe(`
Rotation of kubelet-client
  signer    openshift-kube-apiserver-operator/kube-apiserver-to-kubelet-signer
  current   kube-apiserver-to-kubelet-signer@1763301600, until 2026-11-30
  nodes     not involved: time alone decides when the new CA signs certificates, and the old CA stays until it expires
  restarts  none
  reissues  openshift-kube-apiserver/kubelet-client
`)
  })

  it('waits for user data instead of nodes', () => {
    const { trustedBy: _, ...others } = before.rotation.spec
    const userData = { namespace: 'a', name: 'b' }
    const facts = (settle?: string): RotationFacts => ({
      ...before,
      rotation: {
        ...before.rotation,
        spec: { ...others, userData: { ...userData, ...(settle && { settle }) } },
      },
    })
    expect(text(facts())).toContain(`
  nodes      not involved
  user data  of every pool must contain the new CA for 7 d before it signs anything
  restarts   none
  reissues   openshift-kube-apiserver/kubelet-client
  duration   at least 7 d
`)
    expect(forecastData(forecastOf(facts('2h')))).toMatchObject({
      userDataSettleSeconds: 7200,
      atLeastSeconds: 7800,
    })
  })

  it('shows unknown values', () => {
    const { nodes: _, ...blind } = before
    expect(text({ ...blind, rotation: rotation(undefined) })).toContain(`
  current   unknown: no signer has processed this TrustRotation yet
  nodes     unknown: you have no permission to read Nodes
`)
  })

  it('is available as data', () => {
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

describe('the reasons against it', () => {
  it('are empty without a rotation in progress or without a status', () => {
    expect(forecastOf(before).against).toEqual([])
    expect(forecastOf({ ...before, rotation: rotation(undefined) }).against).toEqual([])
  })

  it('name a rotation in progress and the nodes that delay it', () => {
    expect(forecastOf(midway).against).toEqual([
      'a rotation of kubelet-client is in progress: Preparing since 14:02, delayed by worker-3 (NotReady since 14:01), worker-10 (it is yet to be written)',
    ])
    const laggards = ['a', 'b', 'c', 'd'].map((name) => ({
      name,
      since: '2026-11-16T14:02:00Z',
      why: 'NotReady',
    }))
    const { nodes: _, ...blind } = midway
    const reported = { ...blind, rotation: rotation({ ...preparing, nodes: { laggards } }) }
    expect(forecastOf(reported).against).toEqual([
      'a rotation of kubelet-client is in progress: Preparing since 14:02, delayed by a (NotReady), b (NotReady), c (NotReady) and 1 more',
    ])
  })

  it('name a Degraded condition', () => {
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

  it('do not include a node with an older CA', () => {
    const nodeTrusts = [trust('n', [newCA, oldCA], { writtenAt: '2025-11-16T14:01:00Z' })]
    expect(forecastOf({ ...before, nodes: [node('n')], nodeTrusts }).slow).toEqual([])
  })
})
