import type { TrustDigests } from '../../../api/trust/digests.ts'
import { readTrustDigests, specDigests } from '../../../api/trust/digests.ts'
import type { CertificateDelivery } from '../../../api/trust/items.ts'
import { trustItems } from '../../../api/trust/items.ts'
import type { ControllerConfig } from '../../../api/kinds/resources.ts'
import type { ObservedConfig } from './followed-config.ts'

/** The trust that the cluster specifies for this node. */
export interface DesiredTrust {
  readonly delivery: CertificateDelivery
  /** Absent: the whole ControllerConfig must be read to know them. */
  readonly digests?: TrustDigests
  /** The operator may not have written everything yet: absent items stay as they are. */
  readonly isIncomplete?: boolean
}

/** The digests of a ControllerConfig that was read completely. */
export interface FetchedConfig {
  readonly observed: ObservedConfig
  readonly digests: TrustDigests
}

/**
 * The fetched digests count until the ControllerConfig changes. Without a digests annotation, that is one generation, or until
 * the CA of the API server rotates. Where the payload contradicts the annotation, the payload counts.
 */
export function desiredTrustOf(
  observed: ObservedConfig,
  fetched: FetchedConfig | undefined,
): DesiredTrust {
  const { delivery, isComplete, digestsAnnotation } = observed
  const isValid = fetched !== undefined && isUnchanged(observed, fetched.observed)
  const digests = isValid ? fetched.digests : readTrustDigests(digestsAnnotation)
  return { delivery, ...(digests && { digests }), ...(!isComplete && { isIncomplete: true }) }
}

function isUnchanged(observed: ObservedConfig, fetched: ObservedConfig): boolean {
  const isNewCA =
    observed.digestsAnnotation === undefined && observed.isRotating && !fetched.isRotating
  return (
    observed.uid === fetched.uid &&
    observed.generation === fetched.generation &&
    observed.digestsAnnotation === fetched.digestsAnnotation &&
    !isNewCA
  )
}

/** Computes the digests of a payload. The CA of the API server comes from another object. */
export function digestsIn(
  { spec }: ControllerConfig,
  apiServerCA: string | undefined,
): TrustDigests {
  return {
    ...specDigests(spec),
    ...(apiServerCA !== undefined && { [trustItems.apiServerCA]: apiServerCA }),
  }
}
