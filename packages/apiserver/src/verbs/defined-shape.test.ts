import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindsOf } from '../kinds/custom-kinds.ts'
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

  it('loses what its schema no longer knows and gets the defaults that came later', () => {
    const object = stored('example.org/v1', { both: 'x', gone: 1 })
    expect(asDefined(first, object)['spec']).toEqual({ both: 'x', one: '1' })
    expect(object['spec']).toEqual({ both: 'x', gone: 1 })
  })

  it('is complete in the version in which it is stored before another one shows its part', () => {
    const object = stored('example.org/v1', { both: 'x' })
    expect(asDefined(second, object)['spec']).toEqual({ both: 'x' })
  })

  it('is read by the schema of its own version when the definition stores another by now', () => {
    const [v1] = servedKinds(
      version('v1', false, { both: text, one: text }),
      version('v2', true, { both: text }),
    ) as [ServedKind]
    const object = stored('example.org/v1', { both: 'x', one: 'y' })
    expect(asDefined(v1, object)['spec']).toEqual({ both: 'x', one: 'y' })
  })

  it('goes into the store in the version for that', () => {
    const sent = stored('example.org/v2', { both: 'x', two: '2' })
    expect(asStored(second, sent)).toEqual(stored('example.org/v1', { both: 'x' }))
    const same = stored('example.org/v1', { both: 'x' })
    expect(asStored(first, same)).toBe(same)
  })

  it('can be read although its schema would be refused today', () => {
    const [old] = servedKinds(version('v1', true, { bad: { type: 'string', pattern: '(' } })) as [
      ServedKind,
    ]
    const object = stored('example.org/v1', { bad: 'x', more: 1 })
    expect(asDefined(old, object)).toEqual(object)
  })

  it('stays as it is from the second look on', () => {
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
