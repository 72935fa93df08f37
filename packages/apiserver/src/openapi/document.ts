import { contentDigest } from '@machinist/core/encoding/digest'
import type { ServedKind } from '../kinds/served-kind.ts'
import { addBuiltInKind } from './built-in-schemas.ts'
import { addCustomKind } from './custom-schema.ts'
import type { PathItem } from './operations.ts'
import { pathsOf } from './operations.ts'
import type { OpenApiSchema, Schemas } from './schema.ts'

export interface OpenApiDocument {
  readonly openapi: '3.0.0'
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: { readonly schemas: Schemas }
}

export interface OpenApiIndex {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
}

/**
 * `/openapi/v3`: the documents of all group versions, with digests for client caches. Computing digests takes about
 * 50 ms for the built-in kinds: cache the result until the kinds change.
 */
export function openApiIndex(kinds: readonly ServedKind[]): OpenApiIndex {
  const groups = Map.groupBy(kinds, openApiPath)
  const paths = [...groups].map(([path, members]): [string, { serverRelativeURL: string }] => {
    const hash = contentDigest(openApiDocument(members)).toUpperCase()
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]
  })
  return { paths: Object.fromEntries(paths) }
}

/** Below `/openapi/v3/`: `api/v1` or `apis/<group>/<version>`. */
export function openApiPath({ group, version }: ServedKind): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

/** The document of one group version: schemas and operations. */
export function openApiDocument(kinds: readonly ServedKind[]): OpenApiDocument {
  const schemas: Record<string, OpenApiSchema> = {}
  const paths: Record<string, PathItem> = {}
  for (const kind of kinds) {
    const { group, version } = kind
    const apiVersion = group === '' ? version : `${group}/${version}`
    const component = kind.builtIn
      ? addBuiltInKind(schemas, apiVersion, kind.kind)
      : addCustomKind(schemas, kind)
    Object.assign(paths, pathsOf(kind, component))
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.32' },
    paths,
    components: { schemas },
  }
}
