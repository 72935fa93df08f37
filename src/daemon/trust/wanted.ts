import type { TrustDigests } from '../../api/trust/digests.ts'
import { readTrustDigests, specDigests } from '../../api/trust/digests.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { ControllerConfig } from '../../api/resources.ts'
import type { SeenConfig } from './followed-config.ts'

/** What the cluster wants of this node. */
export interface Wanted {
  readonly delivery: CertificateDelivery
  /** Absent: only the payload can tell. */
  readonly digests?: TrustDigests
  /** Not everything may have been said yet: what is not given stays as it is. */
  readonly isUnfinished?: boolean
}

/** What a ControllerConfig wants, as its payload said when it was read. */
export interface ReadConfig {
  readonly seen: SeenConfig
  readonly digests: TrustDigests
}

/**
 * What was read counts for as long as the same is to be read: where no digests are said, that is for one generation and
 * until the CA of the API server rotates. Where the payload was not what its annotation says, the payload counts.
 */
export function wantedBy(seen: SeenConfig, read: ReadConfig | undefined): Wanted {
  const { delivery, isWhole } = seen
  const digests = read && isSame(seen, read.seen) ? read.digests : readTrustDigests(seen.said)
  return { delivery, ...(digests && { digests }), ...(!isWhole && { isUnfinished: true }) }
}

function isSame(seen: SeenConfig, read: SeenConfig): boolean {
  const isNewCA = seen.said === undefined && seen.rotates && !read.rotates
  return (
    seen.uid === read.uid &&
    seen.generation === read.generation &&
    seen.said === read.said &&
    !isNewCA
  )
}

/** What a payload wants, worked out from what is in it. The CA of the API server is in another object. */
export function digestsIn(
  { spec }: ControllerConfig,
  apiServerCA: string | undefined,
): TrustDigests {
  return {
    ...specDigests(spec),
    ...(apiServerCA !== undefined && { [trustItems.apiServerCA]: apiServerCA }),
  }
}
