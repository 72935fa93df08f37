import type { TrustRotationSpec } from '../../../src/api/kinds/trust-rotation.ts'
import type { ObjectKey } from '@machinist/core/resource'

/** One CA that rotates in a simulated world: what its users ask for, and where nodes keep it. */
export interface Rotation {
  readonly name: string
  readonly spec: TrustRotationSpec
  /** For how long a server may show a certificate that was replaced. */
  readonly leafSettleMs: number
}

/** How long programs may take. */
export interface Settle {
  readonly ms: number
  readonly isOfOldCluster: boolean
}

/**
 * The five minutes after which client-go looks at a file, one in which that file is written, and one in which the signer's own
 * request may be on its way to a slow API server: the time counts from the signature.
 */
const clientLeafSettleMs = 7 * 60_000

const text = (ms: number): string => `${ms / 1000}s`

export type Place = Required<Pick<ObjectKey, 'namespace' | 'name'>>

const operatorNamespace = 'openshift-kube-apiserver-operator'
const published = 'openshift-config-managed'

/** CAs that users add beside ours. */
export const besides: Place = { namespace: 'openshift-config', name: 'client-ca-of-others' }

/** Whom kubelets trust as callers. */
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
      // Without leafSettle, an older cluster's settle: it is too short for clients, and 10 minutes count.
      ...(settle.isOfOldCluster
        ? { settle: text(settle.ms) }
        : { nodeSettle: text(settle.ms), leafSettle: text(clientLeafSettleMs) }),
    },
  }
}

/** How kubelets know the API server. They have to be restarted to learn of a new CA. */
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
