import { canonicalJson } from '@machinist/core/encoding/json'
import { nodePaths } from '../../../api/node-paths.ts'
import type { CertificateDelivery, TrustItem } from '../../../api/trust/items.ts'
import { trustItems } from '../../../api/trust/items.ts'
import type { ObservedItem } from '../items/item.ts'
import type { DesiredTrust } from '../desired/desired-trust.ts'
import type { DesiredTrustSource } from '../desired/desired-trust-source.ts'
import type { PathTrust, TrustView } from './trust-view.ts'

/** Files that MachineConfigs may contain, too. */
const shared = [
  [nodePaths.kubeletCA, trustItems.kubeletClientCA],
  [nodePaths.cloudCA, trustItems.cloudCA],
] as const

/** Implements the view of the trust lane for the config lane. */
export class LaneView implements TrustView {
  readonly #source: ViewSources['source']
  readonly #observed: ViewSources['observed']
  readonly #subscribers = new Set<() => void>()
  #delivery: CertificateDelivery
  /** Whether this node has ever observed a ControllerConfig. */
  #hasObserved: boolean
  /** Before the first observation, the desired digests of the shared files are unknown. */
  #paths: ReadonlyMap<string, PathTrust> = new Map(shared.map(([path]) => [path, {}]))

  /** Starts with the delivery that the ledger recorded, if it did. */
  constructor({ recorded, fallback }: DeliveryAtStart, { source, observed }: ViewSources) {
    this.#delivery = recorded ?? fallback
    this.#hasObserved = recorded !== undefined
    this.#source = source
    this.#observed = observed
  }

  get delivery(): CertificateDelivery {
    return this.#delivery
  }

  at(path: string): PathTrust | undefined {
    return this.#paths.get(path)
  }

  subscribe(changed: () => void): () => void {
    this.#subscribers.add(changed)
    return () => void this.#subscribers.delete(changed)
  }

  async catchUp(signal: AbortSignal): Promise<void> {
    this.update(await this.#source.refresh(signal))
  }

  /**
   * Without a ControllerConfig (`desired` is undefined), the last observation stays valid; if there was none, all files are
   * left to MachineConfigs.
   */
  update(desired: DesiredTrust | undefined): void {
    if (!desired && this.#hasObserved) return
    this.#hasObserved = desired !== undefined
    const { delivery = this.#delivery } = desired ?? {}
    const paths = new Map(desired ? pathsIn(desired, this.#observed) : [])
    const isNew = viewText(delivery, paths) !== viewText(this.#delivery, this.#paths)
    this.#delivery = delivery
    this.#paths = paths
    if (isNew) for (const changed of this.#subscribers) changed()
  }
}

export interface ViewSources {
  readonly source: Pick<DesiredTrustSource, 'refresh'>
  /** The items on disk, as last observed. */
  readonly observed: ReadonlyMap<TrustItem, ObservedItem | object>
}

interface DeliveryAtStart {
  readonly recorded: CertificateDelivery | undefined
  readonly fallback: CertificateDelivery
}

function pathsIn(
  { digests, isIncomplete = false }: DesiredTrust,
  observed: ReadonlyMap<TrustItem, ObservedItem | object>,
): [string, PathTrust][] {
  const bundles = shared.flatMap(([path, item]): [string, PathTrust][] => {
    const desired = digests?.[item]
    if (desired !== undefined) return [[path, { desired }]]
    return !digests || isIncomplete ? [[path, {}]] : []
  })
  const parts = [...observed.values()].flatMap((item) => ('holdings' in item ? item.holdings : []))
  const files = parts.flatMap(({ paths, desired }) =>
    desired === undefined ? [] : paths.map((path): [string, PathTrust] => [path, { desired }]),
  )
  return [...bundles, ...files]
}

const viewText = (delivery: string, paths: ReadonlyMap<string, PathTrust>): string =>
  canonicalJson([delivery, [...paths].map(([path, { desired }]) => [path, desired])])
