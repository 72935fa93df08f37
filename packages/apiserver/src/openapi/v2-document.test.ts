import { describe, expect, it } from 'vitest'
import type { ServedKind } from '../kinds/served-kind.ts'
import { v2Document } from './v2-document.ts'
import { v2Protobuf } from './v2-protobuf.ts'
import { v2Schema } from './v2-schema.ts'

const widgets = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: false,
  builtIn: false,
  verbs: ['get', 'patch'],
  subresources: [],
  schema: { type: 'object', properties: { spec: { type: 'object', description: 'What it is.' } } },
} as unknown as ServedKind
const gvk = { group: 'example.org', version: 'v1', kind: 'Widget' }

describe('the OpenAPI v2 document', () => {
  it('has the fields of custom kinds, and the dryRun parameter of patches', () => {
    const { swagger, paths, definitions } = v2Document([widgets, { ...widgets, builtIn: true }])
    expect(swagger).toBe('2.0')
    expect(Object.keys(paths)).toEqual(['/apis/example.org/v1/widgets/{name}'])
    const { patch } = paths['/apis/example.org/v1/widgets/{name}']!
    expect(patch['x-kubernetes-group-version-kind']).toEqual(gvk)
    expect(patch.parameters).toContainEqual({ name: 'dryRun', in: 'query', type: 'string' })
    expect(definitions['org.example.v1.Widget']).toEqual({
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
        spec: { type: 'object', description: 'What it is.' },
      },
      'x-kubernetes-group-version-kind': [gvk],
    })
    expect(definitions).toHaveProperty(['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'])
  })

  it.each([
    [{ type: 'string', nullable: true, description: 'a' }, { description: 'a' }],
    [{ 'x-kubernetes-int-or-string': true }, {}],
    [{ type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: {} }, {}],
    [{ type: 'array' }, { type: 'array', items: {} }],
    [{ type: 'object', additionalProperties: true }, { type: 'object' }],
    [
      { type: 'object', additionalProperties: { type: 'integer', format: 'int64' } },
      { type: 'object', additionalProperties: { type: 'integer', format: 'int64' } },
    ],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
      { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
    ],
  ] as const)('converts %j to %j', (schema, expected) => {
    expect(v2Schema(schema)).toEqual(expected)
  })

  it('has the protobuf field numbers of gnostic', () => {
    const document = {
      swagger: '2.0',
      info: { title: 'K', version: 'v' },
      paths: {},
      definitions: { A: { type: 'object', properties: { b: { $ref: 'c' } } } },
    } as const
    expect(Buffer.from(v2Protobuf(document)).toString('hex')).toBe(
      [
        '0a03322e30', // 1: swagger
        '12060a014b120176', // 2: info
        '4200', // 8: paths
        '4a1f', // 9: definitions
        '0a1d', // 1: a named schema
        '0a0141', // 1: its name
        '1218', // 2: the schema
        'b201080a066f626a656374', // 22: its type
        'ca010a', // 25: its properties
        '0a080a01621203', // one: b
        '0a0163', // 1: $ref
      ].join(''),
    )
  })
})
