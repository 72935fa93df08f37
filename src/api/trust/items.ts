/**
 * What the trust lane carries to nodes. The operator, the nodes' daemons, the ledger and its readers name the same things
 * by the same names.
 */
export const trustItems = {
  /** CAs of those whom the kubelet trusts as callers: `spec.kubeAPIServerServingCAData`. */
  kubeletClientCA: 'kubelet-client-ca',
  /** `spec.cloudProviderCAData`. */
  cloudCA: 'cloud-ca',
  /** All of `spec.imageRegistryBundleData` and `spec.imageRegistryBundleUserData`. */
  registryCAs: 'registry-cas',
  /** `spec.internalRegistryPullSecret`. */
  pullSecret: 'registry-pull-secret',
  /** CAs by which kubelets know the API server: ConfigMap kubeconfig-data. */
  apiServerCA: 'api-server-ca',
} as const

export type TrustItem = (typeof trustItems)[keyof typeof trustItems]

/** In a ledger, the CAs of each registry are an item of their own. */
export function registryItem(host: string): string {
  return `registry-ca/${host}`
}

/** The host that a key of a registry ConfigMap stands for: keys cannot hold the colon before a port. */
export function registryHost(key: string): string {
  return key.replace('..', ':')
}

/** How certificates come to nodes: past MachineConfigs, or in them, as up to 4.12. */
export const certificateDeliveries = ['direct', 'rendered'] as const

export type CertificateDelivery = (typeof certificateDeliveries)[number]

/** Items that `rendered` delivery leaves to MachineConfigs; the others always go past them. */
export const renderedItems: ReadonlySet<TrustItem> = new Set([
  trustItems.kubeletClientCA,
  trustItems.cloudCA,
])
