import { isObject } from '@machinist/core/encoding/json'
import type { StructuralSchema } from '../../schema/structure/structural-schema.ts'
import type { PrinterColumn } from '../../table/custom-columns.ts'
import { customColumns } from '../../table/custom-columns.ts'
import type { ApiObject } from '../kind-rules.ts'
import { fieldsOf } from '../selectable-fields.ts'
import type { ScalePaths, ServedKind, ServedSubresource, Verb } from '../served-kind.ts'

/** In kube-apiserver's order for custom resources. */
const verbs: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
]

interface Definition {
  readonly group: string
  readonly scope: string
  readonly names: {
    readonly kind: string
    readonly plural: string
    readonly singular?: string
    readonly listKind?: string
    readonly shortNames?: readonly string[]
    readonly categories?: readonly string[]
  }
  readonly versions: readonly DefinedVersion[]
}

interface DefinedVersion {
  readonly name: string
  readonly served: boolean
  readonly storage?: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema }
  readonly subresources?: { readonly status?: unknown; readonly scale?: ScalePaths }
  readonly additionalPrinterColumns?: readonly PrinterColumn[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

/** The kinds that a CustomResourceDefinition serves. */
export function kindsOf(definition: ApiObject): ServedKind[] {
  const spec = definition['spec'] as Definition
  const storage = storageOf(spec)
  return spec.versions
    .filter(({ served }) => served)
    .map((version) => kindOf(spec, version, storage))
}

function storageOf({ group, versions }: Definition): ServedKind['storage'] {
  const stored = versions.find(({ storage }) => storage)
  if (!stored) return undefined
  const schemas = versions.map(({ name, schema }) => [`${group}/${name}`, schema?.openAPIV3Schema])
  const apiVersion = `${group}/${stored.name}`
  return { apiVersion, schemas: Object.fromEntries(schemas) as Schemas }
}

type Schemas = Readonly<Record<string, StructuralSchema | undefined>>

function kindOf(
  { group, scope, names }: Definition,
  version: DefinedVersion,
  storage: ServedKind['storage'],
): ServedKind {
  const { kind, plural } = names
  const scale = version.subresources?.scale
  return {
    group,
    version: version.name,
    kind,
    listKind: names.listKind ?? `${kind}List`,
    plural,
    singular: names.singular ?? kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    verbs,
    subresources: subresourcesOf(version),
    columns: customColumns(version.additionalPrinterColumns),
    schema: version.schema?.openAPIV3Schema,
    storage,
    builtIn: false,
    selectableFields: fieldsOf(
      (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
    ),
    ...(scale ? { scale } : {}),
    ...deprecationOf(version, `${group}/${version.name} ${kind}`),
  }
}

function deprecationOf(
  { deprecated, deprecationWarning }: DefinedVersion,
  what: string,
): Pick<ServedKind, 'deprecation'> {
  if (deprecated !== true) return {}
  return { deprecation: deprecationWarning ?? `${what} is deprecated` }
}

const inAndOut: readonly Verb[] = ['get', 'patch', 'update']

function subresourcesOf({ subresources }: DefinedVersion): ServedSubresource[] {
  const served: ServedSubresource[] = []
  if (isObject(subresources?.status)) served.push({ name: 'status', verbs: inAndOut })
  if (subresources?.scale) {
    const responseKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
    served.push({ name: 'scale', verbs: inAndOut, responseKind })
  }
  return served
}
