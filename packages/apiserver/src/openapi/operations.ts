import type { ServedKind, ServedSubresource, Verb } from '../kinds/served-kind.ts'
import type { GroupVersionKind } from './schema.ts'

export type PathItem = Readonly<Record<string, Operation>>

export interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content }>
  >
  readonly 'x-kubernetes-action': string
  readonly 'x-kubernetes-group-version-kind': GroupVersionKind
}

type Content = Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>

interface Parameter {
  readonly name: string
  readonly in: 'query'
  readonly schema: { readonly type: 'string' | 'boolean' | 'integer'; readonly uniqueItems: true }
}

/** The paths and operations of a kind, as far as clients read them: kubectl looks for fieldValidation. */
export function pathsOf(kind: ServedKind, component: string | undefined): Record<string, PathItem> {
  const { group, version, plural, namespaced, verbs, subresources } = kind
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const collection = `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`
  const item = `${collection}/{name}`
  const paths: Record<string, PathItem> = {
    [collection]: itemOf(kind, component, verbs, onCollection),
    [item]: itemOf(kind, component, verbs, onItem),
  }
  if (namespaced) paths[`${root}/${plural}`] = itemOf(kind, component, verbs, { get: 'list' })
  for (const sub of subresources) {
    const own = sub.responseKind === undefined ? component : undefined
    paths[`${item}/${sub.name}`] = itemOf(kindOf(kind, sub), own, sub.verbs, onSubresource)
  }
  return Object.fromEntries(
    Object.entries(paths).filter(([, operations]) => Object.keys(operations).length > 0),
  )
}

const onCollection: Readonly<Record<string, Verb>> = {
  get: 'list',
  post: 'create',
  delete: 'deletecollection',
}
const onItem: Readonly<Record<string, Verb>> = {
  get: 'get',
  put: 'update',
  patch: 'patch',
  delete: 'delete',
}
const onSubresource: Readonly<Record<string, Verb>> = {
  get: 'get',
  post: 'create',
  put: 'update',
  patch: 'patch',
}

const kindOf = (kind: ServedKind, { responseKind }: ServedSubresource): GroupVersionKind =>
  responseKind ?? kind

function itemOf(
  { group, version, kind }: GroupVersionKind,
  component: string | undefined,
  verbs: readonly Verb[],
  methods: Readonly<Record<string, Verb>>,
): PathItem {
  const schema = component === undefined ? {} : { $ref: `#/components/schemas/${component}` }
  const content: Content = { 'application/json': { schema } }
  const served = Object.entries(methods).filter(([, verb]) => verbs.includes(verb))
  return Object.fromEntries(
    served.map(([method, verb]): [string, Operation] => {
      const body = bodies[method]?.(content)
      return [
        method,
        {
          parameters: (parameters[method] ?? []).map(parameter),
          ...(body ? { requestBody: { content: body } } : {}),
          responses: { [method === 'post' ? '201' : '200']: { description: 'OK', content } },
          'x-kubernetes-action': verb,
          'x-kubernetes-group-version-kind': { group, version, kind },
        },
      ]
    }),
  )
}

const writing = ['dryRun', 'fieldManager', 'fieldValidation']
const parameters: Readonly<Record<string, readonly string[]>> = {
  post: writing,
  put: writing,
  patch: [...writing, 'force'],
  delete: ['dryRun', 'gracePeriodSeconds', 'propagationPolicy'],
}

function parameter(name: string): Parameter {
  const type = name === 'force' ? 'boolean' : name === 'gracePeriodSeconds' ? 'integer' : 'string'
  return { name, in: 'query', schema: { type, uniqueItems: true } }
}

const bodies: Readonly<Record<string, (content: Content) => Content>> = {
  post: (content) => content,
  put: (content) => content,
  // Strategic merge patches are supported but not listed: kubectl would look up merge keys in these schemas, which lack
  // them. For unlisted ones it uses its own merge keys of built-in kinds.
  patch: () =>
    Object.fromEntries(
      ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json'].map((type) => [
        `application/${type}`,
        { schema: {} },
      ]),
    ),
}
