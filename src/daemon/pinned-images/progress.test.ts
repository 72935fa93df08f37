import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ImageSet } from './image-sets.ts'
import { imagesIn } from './image-sets.ts'
import { notesIn } from './notes.ts'
import { regressingSets, progressAfter, reportOf } from './progress.ts'

const set = (name: string, generation: number, ...images: string[]): ImageSet => ({
  name,
  uid: `uid-${name}`,
  generation,
  images,
})
const sets = [set('one', 2, 'a', 'b'), set('two', 1, 'b', 'c')]
const progressing = 'PinnedImageSetsProgressing'
const degraded = 'PinnedImageSetsDegraded'
const seen = {
  type: 'machinist.dev/PinnedImageSetsSeen',
  status: 'True',
  reason: 'Read',
  message: 'cdc38cf8317f8f2b783aff4da906dced',
}

describe('images of several sets', () => {
  it('are distinct and sorted', () => {
    expect(imagesIn([set('x', 1, 'c', 'a'), set('y', 1, 'b', 'a')])).toEqual(['a', 'b', 'c'])
  })
})

describe('a report', () => {
  it('shows that all images are present', () => {
    expect(reportOf({ sets, present: new Set(['a', 'b', 'c']) })).toEqual({
      sets: [
        { name: 'one', generation: 2, isComplete: true },
        { name: 'two', generation: 1, isComplete: true },
      ],
      conditions: [
        {
          type: progressing,
          status: 'False',
          reason: 'AsExpected',
          message: 'All pinned images (3) are on the node',
        },
        { type: degraded, status: 'False', reason: 'AsExpected', message: 'No prefetch failed' },
        seen,
      ],
    })
  })

  it('identifies its sets, also if a recreated set has the same name and generation', () => {
    const recreated = sets.map((each) => ({ ...each, uid: 'another' }))
    const digests = [sets, recreated].map(
      (each) => reportOf({ sets: each, present: new Set() }).conditions.at(-1)?.message,
    )
    expect(digests[0]).toBe(seen.message)
    expect(digests[1]).toMatch(/^(?!cdc38cf8)[0-9a-f]{32}$/)
  })

  it('contains no failures before the first attempt ends', () => {
    expect(reportOf({ sets, present: new Set(['a', 'b']) })).toEqual({
      sets: [
        { name: 'one', generation: 2, isComplete: true },
        { name: 'two', generation: 1, isComplete: false },
      ],
      conditions: [
        {
          type: progressing,
          status: 'True',
          reason: 'ImagePrefetch',
          message: '1 of 3 pinned images are not on the node yet',
        },
        seen,
      ],
    })
  })

  it('names the failed set and the reason', () => {
    const failures = new Map([['c', 'pulling c failed: manifest unknown']])
    expect(reportOf({ sets, present: new Set(['a', 'b']), failures })).toMatchObject({
      sets: [
        { name: 'one', isComplete: true },
        { name: 'two', isComplete: false, error: 'pulling c failed: manifest unknown' },
      ],
      conditions: [
        { type: progressing, status: 'True', reason: 'ImagePrefetch' },
        {
          type: degraded,
          status: 'True',
          reason: 'PrefetchFailed',
          message: 'pulling c failed: manifest unknown',
        },
        seen,
      ],
    })
  })

  it('names a few of many failures', () => {
    const images = Array.from({ length: 8 }, (_, at) => `image-${at}`)
    const failures = new Map(images.map((image) => [image, `${image} failed`]))
    const report = reportOf({ sets: [set('x', 1, ...images)], present: new Set(), failures })
    const message =
      'image-0 failed; image-1 failed; image-2 failed; image-3 failed; image-4 failed; and 3 more'
    expect(report.conditions[1]?.message).toBe(message)
    expect(report.sets[0]?.error).toBe(message)
  })

  it.each([
    ['InsufficientStorage', 'False', 'InsufficientStorage'],
    ['NotSupported', 'False', 'NotSupported'],
    ['PrefetchFailed', 'True', 'ImagePrefetch'],
  ] as const)('shows a problem of all images: %s', (reason, status, shown) => {
    const problem = { reason, message: 'because' }
    const { sets: reported, conditions } = reportOf({ sets, present: new Set(), problem })
    expect(reported.map(({ isComplete, error }) => [isComplete, error])).toEqual([
      [false, 'because'],
      [false, 'because'],
    ])
    expect(conditions).toMatchObject([
      { type: progressing, status, reason: shown },
      { type: degraded, status: 'True', reason, message: 'because' },
      seen,
    ])
  })

  it('shows that nothing is pinned', () => {
    expect(reportOf({ sets: [], present: new Set() })).toMatchObject({
      sets: [],
      conditions: [
        {
          type: progressing,
          status: 'False',
          reason: 'AsExpected',
          message: 'No images are pinned',
        },
        { type: degraded, status: 'False' },
        {},
      ],
    })
  })
})

describe('the list on a MachineConfigNode', () => {
  const report = (generation: number, isComplete: boolean, error?: string) => [
    { name: 'one', generation, isComplete, ...(error !== undefined && { error }) },
  ]

  it('goes from desired to current', () => {
    const first = progressAfter(undefined, report(1, false))
    expect(first).toEqual([{ name: 'one', desiredGeneration: 1 }])
    const second = progressAfter(first, report(1, true))
    expect(second).toEqual([{ name: 'one', desiredGeneration: 1, currentGeneration: 1 }])
    const third = progressAfter(second, report(2, false, 'no'))
    expect(third).toEqual([
      {
        name: 'one',
        desiredGeneration: 2,
        currentGeneration: 1,
        lastFailedGeneration: 2,
        lastFailedGenerationError: 'no',
      },
    ])
    expect(progressAfter(third, report(2, true))).toEqual([
      { name: 'one', desiredGeneration: 2, currentGeneration: 2 },
    ])
    expect(progressAfter(third, [])).toEqual([])
  })

  it('does not list a set as current whose image a user removed', () => {
    const before = [{ name: 'one', desiredGeneration: 2, currentGeneration: 2 }]
    expect(progressAfter(before, report(2, false))).toEqual([{ name: 'one', desiredGeneration: 2 }])
  })

  it('decreases only for a recreated set', () => {
    const before = [{ name: 'one', desiredGeneration: 3, currentGeneration: 2 }]
    expect(regressingSets(before, progressAfter(before, report(3, true)))).toEqual(new Set())
    expect(regressingSets(before, progressAfter(before, report(1, true)))).toEqual(new Set(['one']))
    expect(regressingSets(undefined, progressAfter(undefined, report(1, true)))).toEqual(new Set())
  })

  it('follows the rules of the API for any sequence', () => {
    const step = fc.record({
      generation: fc.integer({ min: 1, max: 4 }),
      isComplete: fc.boolean(),
      error: fc.option(fc.string(), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let before: ReturnType<typeof progressAfter> = []
        for (const { generation, isComplete, error } of steps) {
          const reports = report(generation, isComplete, isComplete ? undefined : error)
          const back = regressingSets(before, progressAfter(before, reports))
          if (back.size > 0) before = before.filter(({ name }) => !back.has(name))
          const [was, is] = [before[0], progressAfter(before, reports)[0]!]
          for (const field of [
            'desiredGeneration',
            'currentGeneration',
            'lastFailedGeneration',
          ] as const) {
            expect(is[field] ?? Infinity).toBeGreaterThanOrEqual(was?.[field] ?? 0)
            expect(is[field] ?? 0).toBeLessThanOrEqual(is.desiredGeneration!)
          }
          expect(is.lastFailedGeneration === undefined).toBe(
            is.lastFailedGenerationError === undefined,
          )
          before = [is]
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('notes', () => {
  it('are read as they were written, and invalid ones are ignored', () => {
    const notes = { digest: 'd', sets, kept: 'k' }
    expect(notesIn(JSON.stringify(notes))).toEqual(notes)
    expect(notesIn(JSON.stringify({ digest: 'd', sets: [] }))).toEqual({ digest: 'd', sets: [] })
    const odd = ['', '{}', '[]', '{"digest":1,"sets":[]}', '{"digest":"d","sets":[{"name":"x"}]}']
    for (const text of odd) expect(notesIn(text)).toBeUndefined()
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => notesIn(text)).not.toThrow()
      }),
      { numRuns: 100 },
    )
  })
})
