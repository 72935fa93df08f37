import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { ServedKind } from '../../kinds/served-kind.ts'
import { apiVersionOf } from '../../objects/stored-object.ts'
import type { Tables } from './api-parts.ts'
import type { Negotiated } from './media-types.ts'

/** A page of a list: items and list metadata. */
export interface ObjectPage {
  readonly items: readonly ApiObject[]
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

type As = NonNullable<Negotiated['as']>

/** Converts objects to the kinds of `as=`: Table, PartialObjectMetadata. */
export class Shapes {
  readonly #tables: Tables | undefined

  constructor(tables: Tables | undefined) {
    this.#tables = tables
  }

  /** PartialObjectMetadataList is only for lists. */
  readonly serves = ({ kind, group, version }: As): boolean => {
    if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return false
    if (kind === 'Table') return this.#tables !== undefined
    return kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList'
  }

  object(kind: ServedKind, object: ApiObject, view: RequestedView): unknown {
    const { as } = view
    if (!as) return object
    if (as.kind !== 'Table') return partial(object, as.version)
    const { resourceVersion } = object.metadata
    return this.#table(kind, [object], { resourceVersion }, view)
  }

  list(kind: ServedKind, page: ObjectPage, view: RequestedView): unknown {
    const { items, ...metadata } = page
    const { as } = view
    if (as?.kind === 'Table') return this.#table(kind, items, metadata, view)
    if (as) {
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: `meta.k8s.io/${as.version}`,
        metadata,
        items: items.map((object) => partial(object, as.version)),
      }
    }
    const list = { kind: kind.listKind, apiVersion: apiVersionOf(kind) }
    return kind.builtIn
      ? { ...list, metadata, items: items.map(bare) }
      : { ...list, metadata: { continue: '', ...metadata }, items }
  }

  #table(
    kind: ServedKind,
    objects: readonly ApiObject[],
    metadata: Record<string, unknown>,
    { as, includeObject, now, withColumns = true }: RequestedView,
  ): unknown {
    const version = as?.version ?? 'v1'
    const rows = { kind, objects, includeObject, now, version, withColumns, metadata }
    return this.#tables?.table(rows)
  }
}

/** The representation that a client requests. */
export interface RequestedView {
  readonly as?: As
  readonly includeObject: string
  readonly now: number
  readonly withColumns?: boolean
}

function partial(object: ApiObject, version: string): Record<string, unknown> {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata,
  }
}

/** In lists of built-in kinds the items have no apiVersion and kind. */
function bare({ kind: _kind, apiVersion: _apiVersion, ...rest }: ApiObject): unknown {
  return rest
}
