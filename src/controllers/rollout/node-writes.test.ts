import { describe, expect, it } from 'vitest'
import type { NodeSketch } from '../../fleet/rollout/scene.fixture.ts'
import { at, facts } from '../../fleet/rollout/scene.fixture.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import { decide } from './decide.ts'

const writesFor = (nodes: readonly NodeSketch[], more?: Partial<RolloutFacts>, pool: object = {}) =>
  decide(facts(pool, nodes, more)).writes

const domain = 'machineconfiguration.openshift.io'
const waiting = { key: 'UpdateInProgress', effect: 'PreferNoSchedule' } as const
const dummy = { key: 'dummy', effect: 'NoSchedule' } as const

describe('a node that gets the target', () => {
  it.each<NodeSketch>([
    at('V0'),
    { current: 'V0' },
    at('V0', 'V0', { annotations: { 'example.com/foreign': 'stays' } }),
  ])('%j gets desiredConfig and nothing else', (sketch) => {
    const [write] = writesFor([{ ...sketch, version: '42' }], undefined, { maxUnavailable: 2 })
    expect(write).toEqual({
      node: 'node-0',
      version: '42',
      annotations: { [`${domain}/desiredConfig`]: 'V1' },
      setsTarget: true,
    })
  })

  it('loses the UpdateInProgress taint in the same patch, and no other taint', () => {
    const [write] = writesFor([at('V0', 'V0', { taints: [waiting, dummy] })])
    expect(write).toMatchObject({ setsTarget: true, taints: [dummy] })
  })

  it('gets config and image in one patch', () => {
    const sketch = at('V0', 'V0', { currentImage: 'img0', desiredImage: 'img0' })
    const [write] = writesFor([sketch], { image: { type: 'built', image: 'img1' } })
    expect(write?.annotations).toEqual({
      [`${domain}/desiredConfig`]: 'V1',
      [`${domain}/desiredImage`]: 'img1',
    })
  })

  it('loses desiredImage if the pool is no longer layered', () => {
    const [write] = writesFor([at('V1', 'V1', { currentImage: 'img1', desiredImage: 'img1' })])
    expect(write?.annotations).toEqual({
      [`${domain}/desiredConfig`]: 'V1',
      [`${domain}/desiredImage`]: null,
    })
  })
})

describe('other nodes', () => {
  it('are not written if they are updated or have the target', () => {
    expect(writesFor([at('V1')])).toEqual([])
    expect(writesFor([at('V0', 'V1')])).toEqual([])
  })

  it('get the taint while they wait', () => {
    const [, write] = writesFor([at('V0'), at('V0', 'V0', { taints: [dummy] })])
    expect(write).toEqual({
      node: 'node-1',
      version: '1',
      taints: [dummy, waiting],
      setsTarget: false,
    })
    expect(writesFor([at('V0', 'V1'), at('V0', 'V0', { taints: [waiting] })])).toEqual([])
  })

  it('lose the taint when they have the target', () => {
    const [write] = writesFor([at('V1', 'V1', { taints: [waiting, dummy] })])
    expect(write).toEqual({ node: 'node-0', version: '1', taints: [dummy], setsTarget: false })
  })

  it('get the topology in the same patch as everything else', () => {
    const writes = writesFor([at('V0'), at('V1')], { topology: 'HighlyAvailable' })
    expect(writes.map(({ annotations }) => annotations)).toEqual([
      { [`${domain}/desiredConfig`]: 'V1', [`${domain}/controlPlaneTopology`]: 'HighlyAvailable' },
      { [`${domain}/controlPlaneTopology`]: 'HighlyAvailable' },
    ])
    const known = at('V1', 'V1', {
      annotations: { [`${domain}/controlPlaneTopology`]: 'HighlyAvailable' },
    })
    expect(writesFor([known], { topology: 'HighlyAvailable' })).toEqual([])
  })

  it('are not written while the pool is paused or has no config', () => {
    const nodes = [at('V0'), at('V0', 'V0', { taints: [waiting] })]
    const topology = 'HighlyAvailable'
    expect(writesFor(nodes, { topology }, { paused: true })).toEqual([])
    expect(writesFor(nodes, { topology }, { target: '' })).toEqual([])
  })
})
