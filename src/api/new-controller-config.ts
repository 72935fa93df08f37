import type { ControllerConfigSpec } from './kinds/controller-config.ts'

/** A ControllerConfig's, before anybody has said anything: required fields are there, and empty. */
export const emptySpec: ControllerConfigSpec = {
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
