import type { TrustRotation, TrustRotationSpec } from '../../../src/api/kinds/trust-rotation.ts'

const operator = 'openshift-kube-apiserver-operator'
const server = 'openshift-kube-apiserver'

/** Objects of the rotation for clients of kubelets, with OpenShift's names. */
export const kubelets = {
  signer: { namespace: operator, name: 'kube-apiserver-to-kubelet-signer' },
  bundle: { namespace: operator, name: 'kube-apiserver-to-kubelet-client-ca' },
  published: { namespace: 'openshift-config-managed', name: 'kube-apiserver-client-ca' },
  target: { namespace: server, name: 'kubelet-client' },
} as const

/** Objects of the rotation of the API server's CA. */
export const apiServers = {
  signer: { namespace: operator, name: 'loadbalancer-serving-signer' },
  bundle: { namespace: operator, name: 'loadbalancer-serving-ca' },
  published: { namespace: 'openshift-config-managed', name: 'kube-apiserver-server-ca' },
  target: { namespace: server, name: 'external-loadbalancer-serving-certkey' },
} as const

/** The CA of another owner that kubelets trust, too. */
export const administrators = {
  namespace: 'openshift-config',
  name: 'admin-kubeconfig-client-ca',
} as const

/** The rotation for clients of kubelets. */
export function kubeletRotation(more: Partial<TrustRotationSpec> = {}): TrustRotation {
  return {
    metadata: { name: 'kube-apiserver-to-kubelet' },
    spec: {
      signer: kubelets.signer,
      bundle: kubelets.bundle,
      publishedIn: [
        {
          ...kubelets.published,
          with: [
            administrators,
            { namespace: 'openshift-config-managed', name: 'csr-controller-ca' },
          ],
        },
      ],
      targets: [
        {
          ...kubelets.target,
          usage: 'client',
          commonName: 'system:kube-apiserver',
          organizations: ['kube-master'],
        },
      ],
      trustedBy: 'kubelet-client-ca',
      ...more,
    },
  }
}

/** The rotation for the API server. */
export function apiServerRotation(more: Partial<TrustRotationSpec> = {}): TrustRotation {
  return {
    metadata: { name: 'kube-apiserver-serving' },
    spec: {
      signer: { ...apiServers.signer, validity: '87600h', refresh: '70080h' },
      bundle: apiServers.bundle,
      publishedIn: [apiServers.published],
      targets: [
        {
          ...apiServers.target,
          usage: 'server',
          commonName: 'api.one.example.com',
          hostnames: ['api.one.example.com', '10.0.0.1', 'fd00::1'],
        },
      ],
      trustedBy: 'api-server-ca',
      ...more,
    },
  }
}

/** The same with fast keys. */
export function quick({ metadata, spec }: TrustRotation): TrustRotation {
  const key = 'ECDSA-P256' as const
  const targets = spec.targets?.map((target) => Object.assign({ key }, target)) ?? []
  return { metadata, spec: { ...spec, signer: { ...spec.signer, key }, targets } }
}
