import { configMaps, namespaces, secrets } from '../../api/names.ts'
import type { TrustRotation } from '../../api/kinds/trust-rotation.ts'
import { trustItems } from '../../api/trust/items.ts'

/** The Secret with the CA that signs the API server's certificate. */
export const servingSigner = {
  namespace: namespaces.kubeAPIServerOperator,
  name: 'loadbalancer-serving-signer',
} as const

/** The Secret with the API server's certificate. */
export const servingCertificate = {
  namespace: namespaces.kubeAPIServer,
  name: 'external-loadbalancer-serving-certkey',
} as const

export interface DevclusterRotationsOptions {
  /** Host names in the API server's certificate. */
  readonly hostnames: readonly string[]
  /** Divides waiting times. */
  readonly speed: number
}

/** The CAs that the signer manages, with the same names as in OpenShift. */
export function defaultRotations({
  hostnames,
  speed,
}: DevclusterRotationsOptions): TrustRotation[] {
  // No component caches certificates here, and a trial should not wait long.
  const seconds = `${Math.max(1, Math.round(10 / speed))}s`
  const settle = { nodeSettle: seconds, leafSettle: seconds }
  // Fast to generate, so that a start is fast.
  const key = 'ECDSA-P256'
  const { kubeAPIServerOperator, config } = namespaces
  return [
    {
      metadata: { name: 'kube-apiserver-to-kubelet' },
      spec: {
        signer: { ...secrets.kubeletSigner, key },
        bundle: placeOf(configMaps.kubeletSignerBundle),
        publishedIn: [
          {
            ...placeOf(configMaps.kubeletClientCA),
            with: [{ namespace: config, name: 'admin-kubeconfig-client-ca' }],
          },
        ],
        targets: [
          {
            ...secrets.kubeletClient,
            key,
            usage: 'client',
            commonName: 'system:kube-apiserver',
            organizations: ['kube-master'],
          },
        ],
        trustedBy: trustItems.kubeletClientCA,
        ...settle,
      },
    },
    {
      metadata: { name: 'kube-apiserver-serving' },
      spec: {
        signer: { ...servingSigner, key, validity: '87600h', refresh: '70080h' },
        bundle: { namespace: kubeAPIServerOperator, name: 'loadbalancer-serving-ca' },
        publishedIn: [
          {
            ...placeOf(configMaps.apiServerCA),
            with: [{ namespace: kubeAPIServerOperator, name: 'localhost-serving-ca' }],
          },
        ],
        targets: [
          {
            ...servingCertificate,
            key,
            usage: 'server',
            commonName: 'machinist-apiserver',
            hostnames: [...hostnames],
          },
        ],
        trustedBy: trustItems.apiServerCA,
        ...settle,
      },
    },
  ]
}

const placeOf = ({ namespace, name }: { namespace: string; name: string }) => ({ namespace, name })
