import type { Node } from '@machinist/kube/kinds/core'
import type { TrustRotation } from '../../api/kinds/resources.ts'
import type { CertificateFacts, CertsFacts } from './facts.ts'

export const now = Date.parse('2026-11-16T14:05:00Z')
const day = 86_400_000
const signer = 'kube-apiserver-to-kubelet-signer'
const operator = 'openshift-kube-apiserver-operator'

function certificate(commonName: string, from: number, until: number): CertificateFacts {
  const fingerprint = `${commonName}${until}`
  return { commonName, fingerprint, notBefore: now + from * day, notAfter: now + until * day }
}

const earlier = certificate(signer, -293, 72)
const renewed = certificate(`${operator}_${signer}@1794837900`, 0, 365)
const admin = certificate('admin-kubeconfig-signer', -100, 3550)

function node(name: string, isReady = true): Node {
  const status = isReady ? ('True' as const) : ('Unknown' as const)
  const lastTransitionTime = '2026-11-16T14:01:00Z'
  return {
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] },
  }
}

const item = (digest: string) => ({
  name: 'kubelet-client-ca',
  state: 'Current' as const,
  wantedDigest: digest,
  actualDigest: digest,
})

/** A cluster on the first day of a rotation: the new signer is in the bundle, and one node is down. */
export const rotating: CertsFacts = {
  now,
  secrets: [
    {
      object: `${operator}/${signer}`,
      type: 'signer',
      issuer: renewed.commonName,
      notBefore: renewed.notBefore,
      notAfter: renewed.notAfter,
      refreshMs: 292 * day,
    },
    {
      object: 'openshift-kube-apiserver/kubelet-client',
      type: 'target',
      issuer: earlier.commonName,
      notBefore: now - 3 * day,
      notAfter: now + 27 * day,
      refreshMs: 15 * day,
    },
  ],
  bundles: [
    {
      of: 'kubelet-client-ca',
      object: `${operator}/kube-apiserver-to-kubelet-client-ca`,
      certificates: [renewed, earlier],
      broken: 0,
    },
    {
      of: 'kubelet-client-ca',
      object: 'openshift-config-managed/kube-apiserver-client-ca',
      certificates: [admin, renewed, earlier],
      broken: 0,
    },
    {
      of: 'kubelet-client-ca',
      object: 'ControllerConfig',
      certificates: [admin, renewed, earlier],
      broken: 0,
    },
  ],
  controllerConfig: {
    metadata: {
      name: 'machine-config-controller',
      annotations: { 'machinist.dev/trust-digests': '{"kubelet-client-ca":"new"}' },
    },
    spec: {} as never,
    status: {
      conditions: [
        {
          type: 'machinist.dev/TrustDelivered',
          status: 'False',
          lastTransitionTime: '2026-11-16T14:02:00Z',
        },
      ],
    },
  },
  nodes: [node('worker-1'), node('worker-2'), node('worker-3', false)],
  nodeTrusts: [
    { metadata: { name: 'worker-1' }, status: { items: [item('new')] } },
    { metadata: { name: 'worker-2' }, status: { items: [item('new')] } },
    { metadata: { name: 'worker-3' }, status: { items: [item('old')] } },
  ],
  pools: [],
  unread: [],
}

/** The TrustRotation, if Machinist rotates the CA. */
export const rotation: TrustRotation = {
  metadata: { name: 'kubelet-client' },
  spec: {
    signer: { namespace: operator, name: signer },
    bundle: { namespace: operator, name: 'kube-apiserver-to-kubelet-client-ca' },
    trustedBy: 'kubelet-client-ca',
  },
  status: {
    phase: 'Preparing',
    phaseSince: '2026-11-16T14:00:00Z',
    nodes: {
      total: 3,
      trusting: 2,
      excused: 0,
      laggards: [{ name: 'worker-3', since: '2026-11-16T14:00:00Z', why: 'NotReady' }],
    },
  },
}
