import { describe, expect, it } from 'vitest'
import {
  atRest,
  completing,
  midway,
  newCA,
  oldCA,
  preparing,
  rotation,
} from '../../views/rotate/sample.fixture.ts'
import { plainStyle } from '../style.ts'
import type { Plan } from './plan.ts'
import { planToGoBack, planToRotate, planWithout } from './plan.ts'

const text = ({ lines }: Plan, width = 80): string =>
  `\n${lines({ style: plainStyle, width }).join('\n')}\n`

const degraded = { type: 'Degraded', status: 'True' as const, reason: 'Shared', message: 'no' }

it('a new CA is planned with everything that speaks against it', () => {
  const plan = planToRotate(midway)
  expect(plan.action).toBe('rotate')
  expect(plan.against).toHaveLength(1)
  expect(text(plan)).toContain('Rotation of kubelet-client')
})

describe('going back', () => {
  it('tells from where to where', () => {
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
  Certificates are signed by the previous CA again, and the current one goes
  once nothing needs it. Nodes trust both until then.
`)
  })

  it('needs a previous one', () => {
    const message =
      'there is no previous CA that kubelet-client could go back to: it goes as soon as a rotation is completed'
    expect(() => planToGoBack({ ...midway, rotation: rotation(atRest) })).toThrow(message)
    expect(() => planToGoBack({ ...midway, rotation: rotation(undefined) })).toThrow(message)
    expect(() =>
      planToGoBack({ ...midway, rotation: rotation({ ...completing, retiring: [] }) }),
    ).toThrow(message)
  })

  it('is not done where the signer does nothing, unless forced', () => {
    const conditions = [degraded]
    expect(
      planToGoBack({ ...midway, rotation: rotation({ ...preparing, conditions }) }).against,
    ).toEqual(['kubelet-client is Degraded (Shared): no'])
  })
})

describe('nodes that are not waited for', () => {
  it('are told with what they lose', () => {
    const plan = planWithout(midway, ['worker-3', 'worker-1'])
    expect(text(plan)).toBe(`
kubelet-client no longer waits for 2 nodes
  nodes  worker-3, worker-1
  phase  Preparing since 14:02
  CA     kube-apiserver-to-kubelet-signer@1794837720
  ! Until they have the new CA, their kubelets refuse the API server: kubectl
  logs, exec and port-forward fail there. Pods go on, and the nodes catch up by
  themselves when they are back.
  nobody waits for worker-1 anyway: it has the CA
`)
    expect(plan.data).toMatchObject({
      authority: newCA.fingerprint,
      nodes: ['worker-3', 'worker-1'],
    })
    const server = rotation(preparing, { trustedBy: 'api-server-ca' })
    expect(text(planWithout({ ...midway, rotation: server }, ['worker-3']))).toContain(
      '\n  need the CA before they can come back.\n',
    )
  })

  it.each([
    ['at rest', rotation(atRest), 'kubelet-client waits for no node: no rotation is under way'],
    [
      'never seen',
      rotation(undefined),
      'kubelet-client waits for no node: no rotation is under way',
    ],
  ])('are none %s', (_, each, message) => {
    expect(() => planWithout({ ...midway, rotation: each }, ['worker-3'])).toThrow(message)
  })

  it('must be there, and must count', () => {
    expect(() => planWithout(midway, ['worker-3', 'worker-4'])).toThrow(
      'there is no node worker-4;',
    )
    const { trustedBy: _, ...spec } = midway.rotation.spec
    expect(() =>
      planWithout({ ...midway, rotation: { ...midway.rotation, spec } }, ['worker-3']),
    ).toThrow('kubelet-client waits for no node: spec.trustedBy is not set')
    const { nodes: __, ...blind } = midway
    expect(planWithout(blind, ['worker-4']).action).toBe('without')
  })
})
