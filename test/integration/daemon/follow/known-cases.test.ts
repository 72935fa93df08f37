import { describe, expect, it } from 'vitest'
import { decide } from '../../../../src/daemon/follow/decide.ts'
import { config, facts, node } from './facts.ts'

interface Case {
  readonly disk: string
  readonly diskImage?: string
  readonly current: string
  readonly desired: string
  readonly state: string
  readonly images?: readonly [string, string]
}

/** What the node is found in, where it goes, and by which decision; from the original's own tests. */
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
  if (next.do !== 'update') return [next.do, report?.current]
  return ['update', next.update.plan.from, next.update.plan.to, next.update.desiredImage]
}

const one = { disk: 'test1', current: 'test1', desired: 'test1' }

describe('is an update needed?', () => {
  it.each<readonly [Case, unknown]>([
    [{ ...one, desired: 'test2', state: '' }, ['update', 'test1', 'test2', undefined]],
    [{ ...one, state: 'Done' }, ['done', { config: 'test1' }]],
    [
      { disk: 'test3', current: 'test1', desired: 'test2', state: '' },
      ['update', 'test3', 'test2', undefined],
    ],
    // Where nothing differs the original writes everything anew; here a look at the disk is enough.
    [
      { ...one, diskImage: 'image1', state: '', images: ['image1', 'image1'] },
      ['done', { config: 'test1', image: 'image1' }],
    ],
    // MCO updates here. No turn was given, so the node stays as it is until the rollout controller gives one.
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
