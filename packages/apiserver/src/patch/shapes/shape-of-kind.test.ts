import { describe, expect, it } from 'vitest'
import { kindOf } from '../../../test/patch/replay.ts'
import { metadataShape } from './built-in-shapes.ts'
import { shapeOfKind, shapeOfSchema } from './shape-of-kind.ts'
import { deduced, isField, plain, shapeAt } from './shape.ts'

describe('the shape of a schema', () => {
  it('distinguishes fields from map entries', () => {
    const shape = shapeOfSchema({
      type: 'object',
      properties: {
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
        port: { 'x-kubernetes-int-or-string': true },
      },
    })
    expect(isField(shape, 'labels')).toBe(true)
    expect(isField(shapeAt(shape, 'labels'), 'any')).toBe(false)
    expect(shapeAt(shapeAt(shape, 'labels'), 'any')).toEqual({ declared: 'string' })
    expect(shapeAt(shapeAt(shape, 'open'), 'any')).toBe(deduced)
    expect(shapeAt(shape, 'whole').atomic).toBe(true)
    expect(shapeAt(shape, 'port')).toEqual({ declared: 'anything' })
  })

  it('has the keys of lists', () => {
    const items = {
      type: 'object',
      properties: { name: { type: 'string' }, kind: { type: 'string', default: 'K' } },
    } as const
    const list = { type: 'array', items } as const
    expect(
      shapeOfSchema({
        ...list,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name', 'kind'],
      }),
    ).toMatchObject({ list: 'map', keys: ['name', 'kind'], keyDefaults: { kind: 'K' } })
    expect(shapeOfSchema({ ...list, 'x-kubernetes-list-type': 'set' }).list).toBe('set')
    expect(shapeOfSchema(list).list).toBeUndefined()
    expect(shapeOfSchema({ ...list, 'x-kubernetes-list-type': 'atomic' }).list).toBeUndefined()
  })
})

describe('the shape of a kind', () => {
  it('has the same metadata for all kinds', () => {
    for (const name of ['Node', 'MachineConfigPool']) {
      expect(shapeAt(shapeOfKind(kindOf(name)), 'metadata')).toBe(metadataShape)
    }
    const { schema: _, ...schemaless } = kindOf('MachineConfigPool')
    expect(shapeAt(shapeOfKind(schemaless), 'metadata')).toBe(metadataShape)
    expect(shapeAt(shapeOfKind(schemaless), 'spec')).toBe(deduced)
  })

  it('is computed once per schema', () => {
    expect(shapeOfKind(kindOf('MachineConfig'))).toBe(shapeOfKind(kindOf('MachineConfig')))
  })

  it('has no rules for kinds that are not in the table', () => {
    const unknown = { ...kindOf('Node'), group: 'example.io', kind: 'Unknown' }
    expect(shapeAt(shapeOfKind(unknown), 'spec')).toBe(plain)
  })
})
