import type { TrustRotationSpec } from '../../../src/api/kinds/trust-rotation.ts'
import type { ObjectKey } from '../../../src/base/resource.ts'

/** One CA that rotates in a simulated world: what its users ask for, and where nodes keep it. */
export interface Rotation {
  readonly name: string
  readonly spec: TrustRotationSpec
  readonly settleMs: number
}

export type Place = Required<Pick<ObjectKey, 'namespace' | 'name'>>

const operatorNamespace = 'openshift-kube-apiserver-operator'
const published = 'openshift-config-managed'

/** CAs that users add beside ours. */
export const besides: Place = { namespace: 'openshift-config', name: 'client-ca-of-others' }

/** Whom kubelets trust as callers. */
export function kubeletRotation(settleMs: number, hasSecondTarget: boolean): Rotation {
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
    settleMs,
    spec: {
      signer: { namespace: operatorNamespace, name: 'kube-apiserver-to-kubelet-signer' },
      bundle: { namespace: operatorNamespace, name: 'kube-apiserver-to-kubelet-client-ca' },
      publishedIn: [{ namespace: published, name: 'kube-apiserver-client-ca', with: [besides] }],
      targets: hasSecondTarget ? targets : targets.slice(0, 1),
      trustedBy: 'kubelet-client-ca',
      settle: `${settleMs / 1000}s`,
    },
  }
}

/** How kubelets know the API server. They have to be restarted to learn of a new CA. */
export function servingRotation(settleMs: number): Rotation {
  return {
    name: 'api-serving',
    settleMs,
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
      settle: `${settleMs / 1000}s`,
    },
  }
}

export const samePlace = (a: Place, { namespace, name }: ObjectKey): boolean =>
  a.name === name && a.namespace === namespace
