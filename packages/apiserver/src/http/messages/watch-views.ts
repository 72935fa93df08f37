import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { ServedKind } from '../../kinds/served-kind.ts'
import { includeObjectFrom } from '../../table/table.ts'
import { apiVersionOf, toServedVersion } from '../../objects/stored-object.ts'
import type { WatchView } from '../../watch/view.ts'
import { plainView } from '../../watch/view.ts'
import type { Negotiated } from './media-types.ts'
import type { Shapes } from './object-shapes.ts'

/** Views of watches. Equal requests share a view, so that each event is encoded once. */
export class WatchViews {
  readonly #shapes: Shapes
  readonly #clock: Clock
  readonly #known = new WeakMap<ServedKind, Map<string, WatchView>>()

  constructor(shapes: Shapes, clock: Clock) {
    this.#shapes = shapes
    this.#clock = clock
  }

  view(kind: ServedKind, as: Negotiated['as'], includeObject: string): WatchView {
    const ofKind = this.#known.get(kind) ?? new Map<string, WatchView>()
    this.#known.set(kind, ofKind)
    // Validate client input first, so that it cannot fill the cache.
    const rows = as?.kind === 'Table' ? includeObjectFrom(includeObject) : ''
    const name = as ? `${as.kind} ${as.version} ${rows}` : ''
    const known = ofKind.get(name) ?? this.#made(kind, as, includeObject)
    ofKind.set(name, known)
    return known
  }

  #made(kind: ServedKind, as: Negotiated['as'], includeObject: string): WatchView {
    const printed = (object: KubeObject, withColumns: boolean): string => {
      const whole = toServedVersion(
        kind,
        object as ApiObject,
        Number(object.metadata.resourceVersion),
      )
      const now = this.#clock.now()
      return JSON.stringify(
        this.#shapes.object(kind, whole, { as, includeObject, now, withColumns }),
      )
    }
    const metadataOnly = as !== undefined && as.kind !== 'Table'
    const plain = plainView({
      kind: metadataOnly ? 'PartialObjectMetadata' : kind.kind,
      apiVersion: metadataOnly ? `meta.k8s.io/${as.version}` : apiVersionOf(kind),
      builtIn: metadataOnly || kind.builtIn,
      listKind: metadataOnly ? 'PartialObjectMetadataList' : kind.listKind,
    })
    const bookmark: WatchView['bookmark'] = (version, ends) => plain.bookmark(version, ends)
    const first: WatchView = { object: (object) => printed(object, true), bookmark }
    if (as?.kind !== 'Table') return first
    return { object: (object) => printed(object, false), bookmark, first }
  }
}
