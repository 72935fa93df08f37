import { describe, expect, it } from 'vitest'
import { decide } from '../../../../src/daemon/follow/decide/decide.ts'
import { config, facts, node } from './facts.ts'

interface Case {
  readonly disk: string
  readonly diskImage?: string
  readonly current: string
  readonly desired: string
  readonly state: string
  readonly images?: readonly [string, string]
}

/** The decision for a state of the node; the cases are from MCO's tests. */
function outcome({ disk, diskImage, current, desired, state, images }: Case): unknown {
  const [currentImage, desiredImage] = images ?? []
  const { next, report } = decide(
    facts({
      node: node({
        current,
        desired,
        state,
        currentImage,
        desiredImage,
        topology: 'SingleReplica',
      }),
      disk: {
        config: config(disk),
        ...(diskImage && { image: diskImage }),
        forced: false,
        problems: [],
      },
      configs: { [desired]: config(desired) },
      checked: { config: disk, differences: [] },
    }),
  )
  if (next.action !== 'update') return [next.action, report?.current]
  return ['update', next.update.plan.from, next.update.plan.to, next.update.desiredImage]
}

const one = { disk: 'test1', current: 'test1', desired: 'test1' }

describe('the decision of a node', () => {
  it.each<readonly [Case, unknown]>([
    [{ ...one, desired: 'test2', state: '' }, ['update', 'test1', 'test2', undefined]],
    [{ ...one, state: 'Done' }, ['done', { config: 'test1' }]],
    [
      { disk: 'test3', current: 'test1', desired: 'test2', state: '' },
      ['update', 'test3', 'test2', undefined],
    ],
    // MCO rewrites everything if nothing differs; here a verification of the disk is enough.
    [
      { ...one, diskImage: 'image1', state: '', images: ['image1', 'image1'] },
      ['done', { config: 'test1', image: 'image1' }],
    ],
    // MCO updates here. The node has no turn, so it keeps its config until the rollout controller gives it one.
    [{ ...one, diskImage: 'image2', state: '', images: ['image1', 'image1'] }, ['stay', undefined]],
    [
      { ...one, diskImage: 'image1', state: 'Done', images: ['image1', 'image1'] },
      ['done', { config: 'test1', image: 'image1' }],
    ],
    [
      { ...one, diskImage: 'image3', state: '', images: ['image2', 'image1'] },
      ['update', 'test1', 'test1', 'image1'],
    ],
  ])('%j', (known, expected) => {
    expect(outcome(known)).toEqual(expected)
  })
})
