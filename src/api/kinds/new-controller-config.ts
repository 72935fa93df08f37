import type { ControllerConfigSpec } from './controller-config.ts'

/** The spec of a new ControllerConfig: all required fields are set and empty. */
export const emptyControllerConfigSpec: ControllerConfigSpec = {
  clusterDNSIP: '',
  cloudProviderConfig: '',
  kubeAPIServerServingCAData: null,
  rootCAData: null,
  cloudProviderCAData: null,
  additionalTrustBundle: null,
  images: {},
  baseOSContainerImage: '',
  releaseImage: '',
  proxy: null,
  infra: null,
  dns: null,
  ipFamilies: '',
  network: null,
}
