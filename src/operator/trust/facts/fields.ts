import type { ControllerConfigSpec, RegistryBundle } from '../../../api/kinds/controller-config.ts'

/** The fields of the ControllerConfig that the trust controller writes. */
export interface TrustFields {
  readonly kubeAPIServerServingCAData: string | null
  readonly rootCAData: string | null
  readonly cloudProviderCAData: string | null
  readonly internalRegistryPullSecret: string | null
  readonly additionalTrustBundle: string | null
  readonly imageRegistryBundleData: readonly RegistryBundle[]
  readonly imageRegistryBundleUserData: readonly RegistryBundle[]
}

export type TrustField = keyof TrustFields
export type FieldValue = TrustFields[TrustField]

/** The trust fields of a spec, normalized. */
export function fieldsOf(spec: Readonly<ControllerConfigSpec>): TrustFields {
  return {
    kubeAPIServerServingCAData: spec.kubeAPIServerServingCAData || null,
    rootCAData: spec.rootCAData || null,
    cloudProviderCAData: spec.cloudProviderCAData || null,
    internalRegistryPullSecret: spec.internalRegistryPullSecret || null,
    additionalTrustBundle: spec.additionalTrustBundle || null,
    imageRegistryBundleData: spec.imageRegistryBundleData ?? [],
    imageRegistryBundleUserData: spec.imageRegistryBundleUserData ?? [],
  }
}

export function isGiven(value: FieldValue): boolean {
  return value !== null && value.length > 0
}
