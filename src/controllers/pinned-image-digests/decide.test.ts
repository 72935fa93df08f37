import { describe, expect, it } from 'vitest'
import type {
  ControllerConfig,
  MachineConfigPool,
  PinnedImageSet,
} from '../../api/kinds/resources.ts'
import { decide, digestsOf } from './decide.ts'

const set = (name: string): PinnedImageSet => ({
  metadata: { name, uid: `uid-${name}`, generation: 1 },
  spec: { pinnedImages: [] },
})
const pool = (listed?: string[]): MachineConfigPool => ({
  metadata: { name: 'worker', generation: 7 },
  spec: { ...(listed && { pinnedImageSets: listed.map((name) => ({ name })) }) },
})
const now = '2026-01-01T00:00:00Z'

describe('the published digests', () => {
  const sets = new Map(['a', 'b'].map((name) => [name, set(name)]))
  const digests = (...pools: MachineConfigPool[]) => digestsOf(pools, (name) => sets.get(name))

  it('are one per pool with existing sets', () => {
    const published = digests(pool(['a', 'b']), { ...pool(['a']), metadata: { name: 'infra' } })
    expect([...published.keys()]).toEqual(['worker', 'infra'])
    expect(published.get('worker')).not.toBe(published.get('infra'))
    expect(digests(pool(), { ...pool(['gone']), metadata: { name: 'infra' } })).toEqual(new Map())
    expect(digests(pool(['a', 'gone']))).toEqual(digests(pool(['a'])))
  })

  it('do not include a pool that is being deleted', () => {
    const metadata = { name: 'worker', deletionTimestamp: now }
    expect(digests({ ...pool(['a']), metadata })).toEqual(new Map())
  })
})

describe('the annotation of the ControllerConfig', () => {
  const annotation = 'machinist.dev/pinned-images'
  const config = (digests?: string) => ({
    metadata: { name: 'x', ...(digests && { annotations: { [annotation]: digests } }) },
    spec: {} as ControllerConfig['spec'],
  })

  it('is written only if it differs, and removed with the last set', () => {
    const facts = { config: config(), pools: [pool(['a'])], sets: [set('a')] }
    const digests = decide(facts)?.digests
    expect(digests).toMatch(/^\{"worker":"[0-9a-f]{32}"\}$/)
    expect(decide({ ...facts, config: config(digests) })).toBeUndefined()
    expect(decide({ ...facts, config: config(digests), sets: [] })).toEqual({ digests: undefined })
    expect(decide({ ...facts, sets: [] })).toBeUndefined()
  })
})
