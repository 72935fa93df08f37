import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInKinds } from '../kinds/catalog/built-in-kinds.ts'
import { objectKey, placeOfKey, prefixOf } from './object-key.ts'

const kindOf = (plural: string): (typeof builtInKinds)[number] =>
  builtInKinds.find((kind) => kind.plural === plural)!

describe('keys', () => {
  it('contain group, resource, namespace and name', () => {
    expect(objectKey(kindOf('nodes'), undefined, 'n1')).toBe('/registry/core/nodes/n1')
    expect(objectKey(kindOf('leases'), 'shop', 'l')).toBe(
      '/registry/coordination.k8s.io/leases/shop/l',
    )
    expect(prefixOf(kindOf('pods'), 'shop')).toBe('/registry/core/pods/shop/')
  })

  it('are the same for both Event kinds', () => {
    const newer = builtInKinds.find((kind) => kind.group === 'events.k8s.io')!
    expect(prefixOf(newer)).toBe(prefixOf(kindOf('events')))
  })

  it('are parsed as written', () => {
    const name = fc.stringMatching(/^[a-z0-9.-]{1,10}$/)
    fc.assert(
      fc.property(fc.constantFrom(...builtInKinds), name, name, (kind, namespace, object) => {
        const place = placeOfKey(objectKey(kind, namespace, object))
        expect(place?.name).toBe(object)
        expect(place?.namespace).toBe(kind.namespaced ? namespace : undefined)
        expect(place?.group).toBe(kind.rules?.view?.group ?? kind.group)
      }),
      { numRuns: 200 },
    )
  })

  it('with another prefix are ignored', () => {
    expect(placeOfKey('/elsewhere/a')).toBeUndefined()
    expect(placeOfKey('/registry/core')).toBeUndefined()
  })
})
