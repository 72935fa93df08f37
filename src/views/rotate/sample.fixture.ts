import type { Node } from '@machinist/kube/kinds/core'
import type { CoreEvent } from '@machinist/kube/kinds/events'
import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import type { TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import type { MachineConfigPool, NodeTrust, TrustRotation } from '../../api/kinds/resources.ts'
import type { RotationFacts } from './facts.ts'

/** 14:05, on the day of a rotation. */
export const now = Date.parse('2026-11-16T14:05:00Z')

const family = 'openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer'

export const oldCA = {
  fingerprint: 'a'.repeat(64),
  subject: `CN=${family}@1763301600`,
  notBefore: '2025-11-16T14:00:00Z',
  notAfter: '2026-11-30T14:00:00Z',
}
export const newCA = {
  fingerprint: 'b'.repeat(64),
  subject: `CN=${family}@1794837720`,
  notBefore: '2026-11-16T14:02:00Z',
  notAfter: '2027-11-16T14:02:00Z',
}

export function rotation(
  status: TrustRotationStatus | undefined,
  spec: Partial<TrustRotation['spec']> = {},
): TrustRotation {
  return {
    metadata: { name: 'kubelet-client' },
    spec: {
      signer: {
        namespace: 'openshift-kube-apiserver-operator',
        name: 'kube-apiserver-to-kubelet-signer',
      },
      bundle: {
        namespace: 'openshift-kube-apiserver-operator',
        name: 'kube-apiserver-to-kubelet-client-ca',
      },
      targets: [
        {
          namespace: 'openshift-kube-apiserver',
          name: 'kubelet-client',
          usage: 'client',
          commonName: 'system:kube-apiserver',
        },
      ],
      trustedBy: 'kubelet-client-ca',
      ...spec,
    },
    ...(status && { status }),
  }
}

const leaf = { namespace: 'openshift-kube-apiserver', name: 'kubelet-client' }

/** Completed with the old CA. */
export const atRest: TrustRotationStatus = {
  phase: 'Completed',
  phaseSince: '2025-11-16T14:05:00Z',
  current: oldCA,
  retiring: [],
  targets: [{ ...leaf, signedBy: oldCA.fingerprint }],
  conditions: [],
}

/** Nodes receive the new CA. */
export const preparing: TrustRotationStatus = {
  phase: 'Preparing',
  phaseSince: '2026-11-16T14:02:01Z',
  current: newCA,
  retiring: [oldCA],
  targets: [{ ...leaf, signedBy: oldCA.fingerprint }],
  conditions: [
    {
      type: 'Progressing',
      status: 'True',
      reason: 'WaitingForNodes',
      message: '3 of 7 nodes do not trust the current CA yet',
      lastTransitionTime: '2026-11-16T14:02:01Z',
    },
  ],
}

/** The old CA is being removed. */
export const completing: TrustRotationStatus = {
  ...preparing,
  desiredAuthorities: [oldCA.fingerprint, newCA.fingerprint],
  phase: 'Completing',
  phaseSince: '2026-11-16T14:04:30Z',
  targets: [{ ...leaf, signedBy: newCA.fingerprint }],
  conditions: [],
}

export const completed: TrustRotationStatus = {
  ...completing,
  phase: 'Completed',
  phaseSince: '2026-11-16T14:06:40Z',
  retiring: [],
}

export function node(name: string, pool = 'worker', isReady = true): Node {
  const status = isReady ? ('True' as const) : ('Unknown' as const)
  const lastTransitionTime = '2026-11-16T14:01:00Z'
  return {
    metadata: { name, labels: { [`node-role.kubernetes.io/${pool}`]: '' } },
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] },
  }
}

/** The CAs that a node reports as trusted. */
export function trust(
  name: string,
  trusted: readonly (typeof newCA)[],
  reported: Partial<NodeTrustItem> = {},
): NodeTrust {
  const item: NodeTrustItem = {
    name: 'kubelet-client-ca',
    state: 'Current',
    paths: ['/etc/kubernetes/kubelet-ca.crt'],
    certificates: trusted.map(({ fingerprint, subject, notAfter }) => ({
      fingerprint,
      subject,
      notAfter,
    })),
    ...reported,
  }
  return { metadata: { name }, status: { items: [item] } }
}

export function pool(name: string, isPaused = false): MachineConfigPool {
  const matchLabels = { [`node-role.kubernetes.io/${name}`]: '' }
  return {
    metadata: { name },
    spec: { nodeSelector: { matchLabels }, ...(isPaused && { paused: true }) },
  }
}

export function event(reason: string, message: string, lastTimestamp: string): CoreEvent {
  return {
    metadata: { name: `kubelet-client.${reason}`, namespace: 'default' },
    involvedObject: { kind: 'TrustRotation', name: 'kubelet-client' },
    reason,
    message,
    lastTimestamp,
  }
}

const earlier = { writtenAt: '2026-11-16T14:02:30Z' }
const lately = { writtenAt: '2026-11-16T14:03:40Z' }

/** Seven nodes, one of them down, in the middle of a rotation. */
export const midway: RotationFacts = {
  now,
  rotation: rotation(preparing),
  delivery: 'direct',
  pools: [pool('worker'), pool('master')],
  nodes: [
    ...['master-1', 'master-2', 'master-3'].map((name) => node(name, 'master')),
    ...['worker-1', 'worker-2', 'worker-10'].map((name) => node(name)),
    node('worker-3', 'worker', false),
  ],
  nodeTrusts: [
    trust('master-1', [oldCA, newCA], earlier),
    trust('master-2', [oldCA, newCA], earlier),
    trust('master-3', [oldCA, newCA], earlier),
    trust('worker-1', [oldCA, newCA], earlier),
    trust('worker-2', [oldCA, newCA], lately),
    trust('worker-3', [oldCA]),
    trust('worker-10', [oldCA], { state: 'Lagging', message: 'it is yet to be written' }),
  ],
  events: [
    event('SignerUpdateRequired', 'missing notAfter', '2026-11-16T14:02:00Z'),
    event('CABundleUpdateRequired', 'it lacks the current CA', '2026-11-16T14:02:01Z'),
  ],
}
