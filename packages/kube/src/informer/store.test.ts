import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { Store } from './store.ts'

interface Pod extends KubeObject {
  node: string
  images: string[]
}

const pod = (name: string, node: string, ...images: string[]): Pod => ({
  metadata: { namespace: 'ns', name },
  node,
  images,
})

const byNodeAndImage = {
  node: (object: Readonly<Pod>): string[] => (object.node === '' ? [] : [object.node]),
  image: (object: Readonly<Pod>): string[] => object.images,
}

const names = (pods: readonly KubeObject[]): string[] => pods.map((p) => p.metadata.name).sort()

describe('Store', () => {
  it('finds objects by key, as object and as text', () => {
    const store = new Store<Pod>()
    store.put(pod('a', 'n1'))
    expect(store.get('ns/a')?.node).toBe('n1')
    expect(store.get({ namespace: 'ns', name: 'a' })?.node).toBe('n1')
    expect(store.get('a')).toBeUndefined()
  })

  it('finds cluster-scoped objects by name', () => {
    const store = new Store<KubeObject>()
    store.put({ metadata: { name: 'worker-1' } })
    expect(store.get('worker-1')?.metadata.name).toBe('worker-1')
  })

  it('returns the previous object', () => {
    const store = new Store<Pod>()
    const first = pod('a', 'n1')
    expect(store.put(first)).toBeUndefined()
    expect(store.put(pod('a', 'n2'))).toBe(first)
    expect(store.remove('ns/a')?.node).toBe('n2')
    expect(store.remove('ns/a')).toBeUndefined()
    expect(store.size).toBe(0)
  })

  it('updates indexes when an object changes', () => {
    const store = new Store<Pod>(byNodeAndImage)
    store.put(pod('a', 'n1', 'nginx', 'envoy'))
    store.put(pod('b', 'n1', 'envoy'))
    expect(names(store.byIndex('node', 'n1'))).toEqual(['a', 'b'])
    expect(names(store.byIndex('image', 'envoy'))).toEqual(['a', 'b'])

    store.put(pod('a', 'n2', 'nginx'))
    expect(names(store.byIndex('node', 'n1'))).toEqual(['b'])
    expect(names(store.byIndex('node', 'n2'))).toEqual(['a'])
    expect(names(store.byIndex('image', 'envoy'))).toEqual(['b'])

    store.remove('ns/a')
    expect(store.byIndex('node', 'n2')).toEqual([])
    expect(store.byIndex('image', 'nginx')).toEqual([])
  })

  it('rejects an unknown index and lists the known ones', () => {
    const store = new Store<Pod>(byNodeAndImage)
    expect(() => store.byIndex('owner', 'x')).toThrow(
      'index owner does not exist; known indexes: node, image',
    )
    expect(() => new Store().byIndex('owner', 'x')).toThrow('known indexes: none')
  })

  it('removes an object by its stored index values, even if the index function returns others', () => {
    let answer = ['first']
    const store = new Store<KubeObject>({ fickle: () => answer })
    store.put({ metadata: { name: 'a' } })
    answer = ['second']
    store.remove('a')
    expect(store.byIndex('fickle', 'first')).toEqual([])
  })

  it('always equals a search through all objects', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      node: fc.constantFrom('', 'n1', 'n2'),
      images: fc.subarray(['x', 'y', 'z']),
      remove: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = new Store<Pod>(byNodeAndImage)
        const plain = new Map<string, Pod>()
        for (const { name, node, images, remove } of steps) {
          if (remove) {
            store.remove(`ns/${name}`)
            plain.delete(name)
          } else {
            store.put(pod(name, node, ...images))
            plain.set(name, pod(name, node, ...images))
          }
        }
        const all = [...plain.values()]
        expect(names(store.list())).toEqual(names(all))
        for (const node of ['n1', 'n2']) {
          expect(names(store.byIndex('node', node))).toEqual(
            names(all.filter((p) => p.node === node)),
          )
        }
        for (const image of ['x', 'y', 'z']) {
          expect(names(store.byIndex('image', image))).toEqual(
            names(all.filter((p) => p.images.includes(image))),
          )
        }
      }),
    )
  })
})
