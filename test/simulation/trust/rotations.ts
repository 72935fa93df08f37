import type { ObjectKey } from '@machinist/core/objects/resource'
import type { TrustRotationSpec } from '../../../src/api/kinds/trust-rotation.ts'

/** One rotation of a trust simulation. */
export interface Rotation {
  readonly name: string
  readonly spec: TrustRotationSpec
  /** How long a server may present a replaced certificate. */
  readonly leafSettleMs: number
}

/** Settle times. */
export interface Settle {
  readonly ms: number
  readonly isOfOldCluster: boolean
}

/**
 * Five minutes until client-go reloads the file, one until the file is written, and one for a slow request of the signer: the time counts
 * from the signature.
 */
const clientLeafSettleMs = 7 * 60_000

const text = (ms: number): string => `${ms / 1000}s`

export type Place = Required<Pick<ObjectKey, 'namespace' | 'name'>>

const operatorNamespace = 'openshift-kube-apiserver-operator'
const published = 'openshift-config-managed'

/** Additional CAs of users. */
export const besides: Place = { namespace: 'openshift-config', name: 'client-ca-of-others' }

/** The client CA of kubelets. */
export function kubeletRotation(settle: Settle, hasSecondTarget: boolean): Rotation {
  const targets: TrustRotationSpec['targets'] = [
    {
      namespace: 'openshift-kube-apiserver',
      name: 'kubelet-client',
      usage: 'client',
      commonName: 'system:kube-apiserver',
      organizations: ['kube-master'],
    },
    {
      namespace: 'openshift-kube-apiserver',
      name: 'metrics-client',
      usage: 'client',
      commonName: 'system:metrics',
    },
  ]
  return {
    name: 'kubelet-client',
    leafSettleMs: clientLeafSettleMs,
    spec: {
      signer: { namespace: operatorNamespace, name: 'kube-apiserver-to-kubelet-signer' },
      bundle: { namespace: operatorNamespace, name: 'kube-apiserver-to-kubelet-client-ca' },
      publishedIn: [{ namespace: published, name: 'kube-apiserver-client-ca', with: [besides] }],
      targets: hasSecondTarget ? targets : targets.slice(0, 1),
      trustedBy: 'kubelet-client-ca',
      // An older cluster has settle instead of leafSettle: it is too short for clients, and the minimum of 10 minutes applies.
      ...(settle.isOfOldCluster
        ? { settle: text(settle.ms) }
        : { nodeSettle: text(settle.ms), leafSettle: text(clientLeafSettleMs) }),
    },
  }
}

/** The serving CA of the API server. Kubelets must be restarted to load a new CA. */
export function servingRotation({ ms }: Settle): Rotation {
  return {
    name: 'api-serving',
    leafSettleMs: ms,
    spec: {
      signer: { namespace: operatorNamespace, name: 'service-network-serving-signer' },
      bundle: { namespace: operatorNamespace, name: 'service-network-serving-ca' },
      publishedIn: [{ namespace: published, name: 'kube-apiserver-server-ca' }],
      targets: [
        {
          namespace: 'openshift-kube-apiserver',
          name: 'service-network-serving',
          usage: 'server',
          commonName: 'kubernetes',
          hostnames: ['kubernetes.default.svc', '172.30.0.1'],
        },
      ],
      trustedBy: 'api-server-ca',
      nodeSettle: text(ms),
      leafSettle: text(ms),
    },
  }
}

export const samePlace = (a: Place, { namespace, name }: ObjectKey): boolean =>
  a.name === name && a.namespace === namespace
