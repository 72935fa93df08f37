import { describe, expect, it } from 'vitest'
import type { Column, ServedKind } from '../kinds/served-kind.ts'
import { StatusError } from '../status/status-error.ts'
import { customColumns } from './custom-columns.ts'
import { includeObjectFrom, tableOf } from './table.ts'

const gadget = (columns: readonly Column[]): ServedKind => ({
  group: 'example.com',
  version: 'v1',
  kind: 'Gadget',
  listKind: 'GadgetList',
  plural: 'gadgets',
  singular: 'gadget',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['get', 'list', 'watch'],
  subresources: [],
  columns,
  builtIn: false,
  selectableFields: [],
})

const now = Date.parse('2026-01-02T03:04:05Z')
const object = {
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'g', creationTimestamp: '2026-01-02T03:00:00Z' },
  spec: { size: 3 },
}

describe('tableOf', () => {
  it('has the age for a CRD without columns', () => {
    const table = tableOf(gadget(customColumns()), [object], { now })
    expect(table).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: {},
      columnDefinitions: [
        {
          name: 'Name',
          type: 'string',
          format: 'name',
          description:
            'Name must be unique within a namespace. It is given when the object is created, or then made from generateName, and never changes.',
          priority: 0,
        },
        {
          name: 'Age',
          type: 'date',
          format: '',
          description:
            'Custom resource definition column (in JSONPath format): .metadata.creationTimestamp',
          priority: 0,
        },
      ],
      rows: [
        {
          cells: ['g', '4m5s'],
          object: {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { name: 'g', creationTimestamp: '2026-01-02T03:00:00Z' },
          },
        },
      ],
    })
  })

  it('has only the columns of the CRD', () => {
    const columns = customColumns([
      {
        name: 'Size',
        type: 'integer',
        jsonPath: '.spec.size',
        description: 'How big',
        priority: 1,
      },
      // Even a column that looks like the name.
      { name: 'Name', type: 'string', format: 'name', jsonPath: '.spec.size' },
    ])
    const { rows, columnDefinitions } = tableOf(gadget(columns), [object], { now })
    expect(rows[0]!.cells).toEqual(['g', 3, '3'])
    expect(columnDefinitions![1]).toEqual({
      name: 'Size',
      type: 'integer',
      format: '',
      description: 'How big',
      priority: 1,
    })
  })

  it('includes the requested part of the object', () => {
    const carried = (includeObject: 'None' | 'Object'): unknown =>
      tableOf(gadget([]), [object], { now, includeObject }).rows[0]!.object
    expect(carried('None')).toBeNull()
    expect(carried('Object')).toBe(object)
  })

  it('omits the headers of later watch events', () => {
    const table = tableOf(gadget([]), [object], {
      now,
      headers: false,
      metadata: { resourceVersion: '27' },
    })
    expect(table.columnDefinitions).toBeNull()
    expect(table.metadata).toEqual({ resourceVersion: '27' })
  })

  it('is empty for no objects', () => {
    expect(tableOf(gadget([]), [], { now }).rows).toEqual([])
  })
})

describe('includeObjectFrom', () => {
  it('accepts valid values', () => {
    expect([undefined, '', 'None', 'Metadata', 'Object'].map(includeObjectFrom)).toEqual([
      'Metadata',
      'Metadata',
      'None',
      'Metadata',
      'Object',
    ])
  })

  it('rejects other values with the error of kube-apiserver', () => {
    const error = new StatusError(
      400,
      'BadRequest',
      `Unable to convert to Table as requested: includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty`,
    )
    expect(() => includeObjectFrom('Foo')).toThrow(error)
  })
})
