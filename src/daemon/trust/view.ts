import { nodePaths } from '../../api/node-paths.ts'
import type { CertificateDelivery, TrustItem } from '../../api/trust/items.ts'
import { trustItems } from '../../api/trust/items.ts'
import { canonicalJson } from '@machinist/core/json'
import type { Look, PathTrust, TrustView } from './item.ts'
import type { Wanted } from './wanted.ts'

/** Files that a config may hold, too. */
const shared = [
  [nodePaths.kubeletCA, trustItems.kubeletClientCA],
  [nodePaths.cloudCA, trustItems.cloudCA],
] as const

/** What the trust lane lets others know. */
export class View implements TrustView {
  readonly #catchUp: (signal: AbortSignal) => Promise<void>
  readonly #subscribers: (() => void)[] = []
  #delivery: CertificateDelivery
  /** Whether the cluster has ever said anything to this node. */
  #isSaid: boolean
  /** Before anybody has asked the cluster, nothing is known of these but that it matters. */
  #paths: ReadonlyMap<string, PathTrust> = new Map(shared.map(([path]) => [path, {}]))

  /** Begins with what was said when the machine was last looked at. */
  constructor(
    { said, usual }: { readonly said: CertificateDelivery | undefined; usual: CertificateDelivery },
    catchUp: (signal: AbortSignal) => Promise<void>,
  ) {
    this.#delivery = said ?? usual
    this.#isSaid = said !== undefined
    this.#catchUp = catchUp
  }

  get delivery(): CertificateDelivery {
    return this.#delivery
  }

  at(path: string): PathTrust | undefined {
    return this.#paths.get(path)
  }

  subscribe(changed: () => void): void {
    this.#subscribers.push(changed)
  }

  caughtUp(signal: AbortSignal): Promise<void> {
    return this.#catchUp(signal)
  }

  /** Undefined: the cluster says nothing. What it said before still counts; if it never did, all is left to configs. */
  update(wanted: Wanted | undefined, looks: ReadonlyMap<TrustItem, Look | object>): void {
    if (!wanted && this.#isSaid) return
    this.#isSaid = wanted !== undefined
    const { delivery = this.#delivery } = wanted ?? {}
    const paths = new Map(wanted ? pathsIn(wanted, looks) : [])
    const isNew = said(delivery, paths) !== said(this.#delivery, this.#paths)
    this.#delivery = delivery
    this.#paths = paths
    if (isNew) for (const changed of this.#subscribers) changed()
  }
}

function pathsIn(
  { digests, isUnfinished = false }: Wanted,
  looks: ReadonlyMap<TrustItem, Look | object>,
): [string, PathTrust][] {
  const bundles = shared.flatMap(([path, item]): [string, PathTrust][] => {
    const wanted = digests?.[item]
    if (wanted !== undefined) return [[path, { wanted }]]
    return !digests || isUnfinished ? [[path, {}]] : []
  })
  const parts = [...looks.values()].flatMap((look) => ('holdings' in look ? look.holdings : []))
  const files = parts.flatMap(({ paths, wanted }) =>
    wanted === undefined ? [] : paths.map((path): [string, PathTrust] => [path, { wanted }]),
  )
  return [...bundles, ...files]
}

const said = (delivery: string, paths: ReadonlyMap<string, PathTrust>): string =>
  canonicalJson([delivery, [...paths].map(([path, { wanted }]) => [path, wanted])])
