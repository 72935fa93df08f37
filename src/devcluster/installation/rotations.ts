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

export interface RotationsOptions {
  /** What the API server's certificate has to name. */
  readonly hostnames: readonly string[]
  /** How many times faster than usual waits are over. */
  readonly speed: number
}

/** The CAs that the signer looks after, with the names that they have in OpenShift. */
export function rotationsOf({ hostnames, speed }: RotationsOptions): TrustRotation[] {
  // Nothing here keeps an old certificate, and who tries things out does not want to wait for long.
  const seconds = `${Math.max(1, Math.round(10 / speed))}s`
  const settle = { nodeSettle: seconds, leafSettle: seconds }
  // New ones cost next to nothing, so that a start is quick.
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
