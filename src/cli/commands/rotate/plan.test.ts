import { describe, expect, it } from 'vitest'
import {
  atRest,
  completing,
  midway,
  newCA,
  oldCA,
  preparing,
  rotation,
} from '../../../views/rotate/sample.fixture.ts'
import { plainStyle } from '../../text/style.ts'
import type { RotationPlan } from './plan.ts'
import { planLines, planToGoBack, planToRotate, planWithout } from './plan.ts'

const text = (plan: RotationPlan, width = 80): string =>
  `\n${planLines(plan, { style: plainStyle, width }).join('\n')}\n`

const degraded = { type: 'Degraded', status: 'True' as const, reason: 'Shared', message: 'no' }

it('the plan of a new CA contains the reasons against it', () => {
  const plan = planToRotate(midway)
  expect(plan.action).toBe('rotate')
  expect(plan.against).toHaveLength(1)
  expect(text(plan)).toContain('Rotation of kubelet-client')
})

describe('going back', () => {
  it('shows both CAs', () => {
    const plan = planToGoBack(midway)
    expect(plan).toMatchObject({
      action: 'back',
      against: [],
      data: { rotation: 'kubelet-client', from: newCA.fingerprint, to: oldCA.fingerprint },
    })
    expect(text(plan)).toBe(`
kubelet-client goes back to its previous CA
  from  kube-apiserver-to-kubelet-signer@1794837720, until 2027-11-16
  to    kube-apiserver-to-kubelet-signer@1763301600, until 2026-11-30
  The previous CA signs certificates again, and the current CA is removed once
  nothing needs it. Nodes trust both until then.
`)
  })

  it('requires a previous CA', () => {
    const message =
      'kubelet-client has no previous CA to go back to: it is removed when a rotation completes'
    expect(() => planToGoBack({ ...midway, rotation: rotation(atRest) })).toThrow(message)
    expect(() => planToGoBack({ ...midway, rotation: rotation(undefined) })).toThrow(message)
    expect(() =>
      planToGoBack({ ...midway, rotation: rotation({ ...completing, retiring: [] }) }),
    ).toThrow(message)
  })

  it('is rejected while the rotation is Degraded, unless forced', () => {
    const conditions = [degraded]
    expect(
      planToGoBack({ ...midway, rotation: rotation({ ...preparing, conditions }) }).against,
    ).toEqual(['kubelet-client is Degraded (Shared): no'])
  })
})

describe('excluded nodes', () => {
  it('are shown with the consequences', () => {
    const plan = planWithout(midway, ['worker-3', 'worker-1'])
    expect(text(plan)).toBe(`
kubelet-client no longer waits for 2 nodes
  nodes  worker-3, worker-1
  phase  Preparing since 14:02
  CA     kube-apiserver-to-kubelet-signer@1794837720
  ! Until they have the new CA, their kubelets reject the API server: kubectl
  logs, exec and port-forward fail there. Pods keep running, and the nodes catch
  up when they are back.
  worker-1: already has the CA
`)
    expect(plan.data).toMatchObject({
      authority: newCA.fingerprint,
      nodes: ['worker-3', 'worker-1'],
    })
    const server = rotation(preparing, { trustedBy: 'api-server-ca' })
    expect(text(planWithout({ ...midway, rotation: server }, ['worker-3']))).toContain(
      'before they can rejoin.\n',
    )
  })

  it.each([
    [
      'when it is completed',
      rotation(atRest),
      'kubelet-client does not wait for nodes: no rotation is in progress',
    ],
    [
      'without a status',
      rotation(undefined),
      'kubelet-client does not wait for nodes: no rotation is in progress',
    ],
  ])('are rejected %s', (_, each, message) => {
    expect(() => planWithout({ ...midway, rotation: each }, ['worker-3'])).toThrow(message)
  })

  it('must exist and count', () => {
    expect(() => planWithout(midway, ['worker-3', 'worker-4'])).toThrow('node worker-4 not found;')
    const { trustedBy: _, ...spec } = midway.rotation.spec
    expect(() =>
      planWithout({ ...midway, rotation: { ...midway.rotation, spec } }, ['worker-3']),
    ).toThrow('kubelet-client does not wait for nodes: spec.trustedBy is not set')
    const { nodes: __, ...blind } = midway
    expect(planWithout(blind, ['worker-4']).action).toBe('without')
  })
})
