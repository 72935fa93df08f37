import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindsOf } from '../kinds/catalog/custom-kinds.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { asDefined, asStored } from './defined-shape.ts'

type Properties = Readonly<Record<string, object>>

const text = { type: 'string' }

function version(name: string, storage: boolean, properties: Properties): object {
  const spec = { type: 'object', properties }
  const openAPIV3Schema = { type: 'object', properties: { spec } }
  return { name, served: true, storage, schema: { openAPIV3Schema } }
}

function servedKinds(...versions: object[]): ServedKind[] {
  const names = { kind: 'Thing', plural: 'things' }
  return kindsOf({
    metadata: { name: 'things.example.org' },
    spec: { group: 'example.org', scope: 'Namespaced', names, versions },
  })
}

const stored = (apiVersion: string, spec: object): ApiObject => ({
  apiVersion,
  kind: 'Thing',
  metadata: { name: 't' },
  spec,
})

describe('a stored custom resource', () => {
  const [first, second] = servedKinds(
    version('v1', true, { both: text, one: { ...text, default: '1' } }),
    version('v2', false, { both: text, two: { ...text, default: '2' } }),
  ) as [ServedKind, ServedKind]

  it('is pruned and defaulted by the current schema', () => {
    const object = stored('example.org/v1', { both: 'x', gone: 1 })
    expect(asDefined(first, object)['spec']).toEqual({ both: 'x', one: '1' })
    expect(object['spec']).toEqual({ both: 'x', gone: 1 })
  })

  it('is defaulted in its storage version before conversion', () => {
    const object = stored('example.org/v1', { both: 'x' })
    expect(asDefined(second, object)['spec']).toEqual({ both: 'x' })
  })

  it('is read with the schema of its own version if the storage version has changed', () => {
    const [v1] = servedKinds(
      version('v1', false, { both: text, one: text }),
      version('v2', true, { both: text }),
    ) as [ServedKind]
    const object = stored('example.org/v1', { both: 'x', one: 'y' })
    expect(asDefined(v1, object)['spec']).toEqual({ both: 'x', one: 'y' })
  })

  it('is stored in the storage version', () => {
    const sent = stored('example.org/v2', { both: 'x', two: '2' })
    expect(asStored(second, sent)).toEqual(stored('example.org/v1', { both: 'x' }))
    const same = stored('example.org/v1', { both: 'x' })
    expect(asStored(first, same)).toBe(same)
  })

  it('can be read with a schema that is invalid now', () => {
    const [old] = servedKinds(version('v1', true, { bad: { type: 'string', pattern: '(' } })) as [
      ServedKind,
    ]
    const object = stored('example.org/v1', { bad: 'x', more: 1 })
    expect(asDefined(old, object)).toEqual(object)
  })

  it('does not change when converted twice', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('both', 'one', 'two', 'x'), fc.jsonValue()),
        (spec) => {
          for (const kind of [first, second]) {
            const once = asDefined(kind, stored('example.org/v1', spec))
            expect(asDefined(kind, { ...once, apiVersion: 'example.org/v1' })).toEqual(once)
          }
        },
      ),
    )
  })
})
