import { describe, expect, it } from 'vitest'
import type { ServedKind, Verb } from '../kinds/served-kind.ts'
import { openApiDocument, openApiIndex, openApiPath } from './document.ts'

const everyVerb: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

const kindOf = (group: string, kind: string, more: Partial<ServedKind> = {}): ServedKind => ({
  group,
  version: 'v1',
  kind,
  listKind: `${kind}List`,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: everyVerb,
  subresources: [],
  columns: [],
  builtIn: true,
  selectableFields: [],
  ...more,
})

const lease = kindOf('coordination.k8s.io', 'Lease')
const gadget = kindOf('stable.example.com', 'Gadget', {
  builtIn: false,
  namespaced: false,
  subresources: [{ name: 'status', verbs: ['get', 'patch'] }],
  schema: {
    type: 'object',
    description: 'A gadget',
    required: ['spec'],
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  },
})

describe('openApiDocument', () => {
  it('lists the fieldValidation parameter', () => {
    const { paths } = openApiDocument([lease])
    const patch = paths['/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}']!.patch!
    expect(patch['x-kubernetes-group-version-kind']).toEqual({
      group: 'coordination.k8s.io',
      version: 'v1',
      kind: 'Lease',
    })
    expect(patch.parameters?.map(({ name }) => name)).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ])
    expect(Object.keys(patch.requestBody!.content)).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
    ])
  })

  it('has the served paths and methods', () => {
    const { paths } = openApiDocument([lease, kindOf('', 'Binding', { verbs: ['create'] })])
    const methods = Object.entries(paths).map(([path, item]) => [path, Object.keys(item)])
    expect(Object.fromEntries(methods)).toEqual({
      '/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases': ['get', 'post', 'delete'],
      '/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}': [
        'get',
        'put',
        'patch',
        'delete',
      ],
      '/apis/coordination.k8s.io/v1/leases': ['get'],
      '/api/v1/namespaces/{namespace}/bindings': ['post'],
    })
  })

  it('has the kind of a subresource', () => {
    const responseKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }
    const account = kindOf('', 'ServiceAccount', {
      subresources: [{ name: 'token', verbs: ['create'], responseKind }],
    })
    const item = openApiDocument([account]).paths[
      '/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token'
    ]
    expect(item!.post!['x-kubernetes-group-version-kind']).toEqual(responseKind)
    expect(item!.post!.requestBody!.content).toEqual({ 'application/json': { schema: {} } })
  })

  it('describes built-in kinds by their known fields', () => {
    const { schemas } = openApiDocument([lease]).components
    expect(schemas['io.k8s.api.coordination.v1.Lease']).toEqual({
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: {
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
        spec: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.coordination.v1.LeaseSpec' }] },
      },
      'x-kubernetes-group-version-kind': [
        { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' },
      ],
    })
    expect(Object.keys(schemas).toSorted()).toEqual([
      'io.k8s.api.coordination.v1.Lease',
      'io.k8s.api.coordination.v1.LeaseSpec',
      'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
      'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry',
      'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime',
      'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
      'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference',
      'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
    ])
  })

  it('describes custom kinds by their schema', () => {
    const { paths, components } = openApiDocument([gadget])
    expect(components.schemas['com.example.stable.v1.Gadget']).toEqual({
      type: 'object',
      description: 'A gadget',
      required: ['spec'],
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: {
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
        spec: { type: 'object', properties: { size: { type: 'integer' } } },
      },
      'x-kubernetes-group-version-kind': [
        { group: 'stable.example.com', version: 'v1', kind: 'Gadget' },
      ],
    })
    const status = paths['/apis/stable.example.com/v1/gadgets/{name}/status']!
    expect(Object.keys(status)).toEqual(['get', 'patch'])
  })

  it('includes a kind without known fields', () => {
    const { paths, components } = openApiDocument([kindOf('batch', 'Job')])
    expect(components.schemas).toEqual({})
    const get = paths['/apis/batch/v1/namespaces/{namespace}/jobs']!.get!
    expect(get.responses['200']!.content).toEqual({ 'application/json': { schema: {} } })
  })

  it('references only its own schemas', () => {
    const kinds = ['Pod', 'Node', 'Service', 'Event'].map((kind) => kindOf('', kind))
    const text = JSON.stringify(openApiDocument(kinds))
    const { schemas } = openApiDocument(kinds).components
    const refs = [...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name!)
    expect(refs.length).toBeGreaterThan(200)
    expect(refs.filter((name) => !schemas[name])).toEqual([])
  })
})

describe('openApiIndex', () => {
  it('has the path of each document', () => {
    const { paths } = openApiIndex([kindOf('', 'Pod'), kindOf('', 'Node'), gadget])
    expect(Object.keys(paths)).toEqual(['api/v1', 'apis/stable.example.com/v1'])
    expect(paths['api/v1']!.serverRelativeURL).toMatch(
      /^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{64}$/,
    )
    expect(openApiPath(gadget)).toBe('apis/stable.example.com/v1')
  })

  it('has a hash that changes only with the schemas', () => {
    const hash = (kind: ServedKind): string =>
      openApiIndex([kind]).paths['apis/stable.example.com/v1']!.serverRelativeURL
    const changed = { ...gadget, schema: { ...gadget.schema, description: 'Another' } }
    expect(hash({ ...gadget })).toBe(hash(gadget))
    expect(hash(changed)).not.toBe(hash(gadget))
  })
})
