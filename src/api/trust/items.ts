/**
 * The items that the trust lane delivers to nodes. The operator, the daemons and their ledgers use the same names.
 */
export const trustItems = {
  /** CAs with which the kubelet verifies client certificates: `spec.kubeAPIServerServingCAData`. */
  kubeletClientCA: 'kubelet-client-ca',
  /** `spec.cloudProviderCAData`. */
  cloudCA: 'cloud-ca',
  /** `spec.imageRegistryBundleData` and `spec.imageRegistryBundleUserData`. */
  registryCAs: 'registry-cas',
  /** `spec.internalRegistryPullSecret`. */
  pullSecret: 'registry-pull-secret',
  /** CAs with which kubelets verify the API server: ConfigMap kubeconfig-data. */
  apiServerCA: 'api-server-ca',
} as const

export type TrustItem = (typeof trustItems)[keyof typeof trustItems]

/** The name of a registry's CAs in a ledger, where each registry is an item. */
export function registryItem(host: string): string {
  return `registry-ca/${host}`
}

/** The host of a key in a registry ConfigMap. Keys cannot contain a colon, so `..` stands for it. */
export function registryHost(key: string): string {
  return key.replace('..', ':')
}

/** `direct`: the trust lane delivers certificates. `rendered`: MachineConfigs contain them, as up to 4.12. */
export const certificateDeliveries = ['direct', 'rendered'] as const

export type CertificateDelivery = (typeof certificateDeliveries)[number]

/** Items that MachineConfigs deliver with `rendered`. The trust lane always delivers the others. */
export const renderedItems: ReadonlySet<TrustItem> = new Set([
  trustItems.kubeletClientCA,
  trustItems.cloudCA,
])
