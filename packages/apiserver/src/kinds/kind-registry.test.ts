import { describe, expect, it } from 'vitest'
import { builtInKinds } from './catalog/built-in-kinds.ts'
import { KindRegistry } from './kind-registry.ts'

const pods = builtInKinds.find(({ plural }) => plural === 'pods')!
const gear = {
  ...pods,
  group: 'ex.io',
  version: 'v1',
  kind: 'Gear',
  plural: 'gears',
  builtIn: false,
}

describe('KindRegistry', () => {
  it('finds kinds by resource and by kind', () => {
    const kinds = new KindRegistry(builtInKinds)
    expect(kinds.find('', 'v1', 'pods')).toBe(pods)
    expect(kinds.findKind('', 'v1', 'Pod')).toBe(pods)
    expect(kinds.find('', 'v2', 'pods')).toBeUndefined()
  })

  it('replaces all versions of a resource, and notifies listeners', () => {
    const kinds = new KindRegistry(builtInKinds)
    const before = kinds.changes
    const deliveredRevision: number[] = []
    const stop = kinds.onChange(() => deliveredRevision.push(kinds.all.length))
    kinds.replace('ex.io', 'gears', [gear, { ...gear, version: 'v2' }])
    expect(kinds.find('ex.io', 'v2', 'gears')?.kind).toBe('Gear')
    kinds.replace('ex.io', 'gears', [gear])
    expect(kinds.find('ex.io', 'v2', 'gears')).toBeUndefined()
    kinds.replace('ex.io', 'gears', [])
    expect(kinds.findResource('ex.io', 'gears')).toBeUndefined()
    expect(kinds.changes).toBe(before + 3)
    expect(deliveredRevision).toEqual([
      builtInKinds.length + 2,
      builtInKinds.length + 1,
      builtInKinds.length,
    ])
    stop()
    kinds.replace('ex.io', 'gears', [gear])
    expect(deliveredRevision).toHaveLength(3)
  })

  it('has unique resources among the built-in kinds', () => {
    const places = builtInKinds.map(({ group, version, plural }) => `${group}/${version}/${plural}`)
    expect(new Set(places).size).toBe(places.length)
  })
})
