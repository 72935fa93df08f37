import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/resource'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { includeObjectFrom } from '../table/table.ts'
import { apiVersionOf, shownAs } from '../verbs/stored-object.ts'
import type { View } from '../watch/view.ts'
import { plainView } from '../watch/view.ts'
import type { Negotiated } from './media-types.ts'
import type { Shapes } from './object-shapes.ts'

/** The views of watches. Whoever wants the same gets the same one, so that an event is written only once for all. */
export class WatchViews {
  readonly #shapes: Shapes
  readonly #clock: Clock
  readonly #known = new WeakMap<ServedKind, Map<string, View>>()

  constructor(shapes: Shapes, clock: Clock) {
    this.#shapes = shapes
    this.#clock = clock
  }

  view(kind: ServedKind, as: Negotiated['as'], includeObject: string): View {
    const ofKind = this.#known.get(kind) ?? new Map<string, View>()
    this.#known.set(kind, ofKind)
    // Also what clients make up would be kept for ever, if it were not refused.
    const rows = as?.kind === 'Table' ? includeObjectFrom(includeObject) : ''
    const name = as ? `${as.kind} ${as.version} ${rows}` : ''
    const known = ofKind.get(name) ?? this.#made(kind, as, includeObject)
    ofKind.set(name, known)
    return known
  }

  #made(kind: ServedKind, as: Negotiated['as'], includeObject: string): View {
    const shown = (object: KubeObject, withColumns: boolean): string => {
      const whole = shownAs(kind, object as ApiObject, Number(object.metadata.resourceVersion))
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
    const bookmark: View['bookmark'] = (version, ends) => plain.bookmark(version, ends)
    const first: View = { object: (object) => shown(object, true), bookmark }
    if (as?.kind !== 'Table') return first
    return { object: (object) => shown(object, false), bookmark, first }
  }
}
