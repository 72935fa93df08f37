import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NodeSketch } from './objects.fixture.ts'
import { nodeWith } from './objects.fixture.ts'
import { recordFor, recordOf, recordText } from './record.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const written = '{"request":"drain-a","since":"2026-03-01T11:00:00.000Z"}'
const writtenOthers =
  '{"request":"drain-a","since":"2026-03-01T11:00:00.000Z","cordonedBefore":true}'

describe('the record of a drain', () => {
  it('is text with the request and the start', () => {
    const since = Date.parse('2026-03-01T11:00:00Z')
    expect(recordText({ request: 'drain-a', since, cordonedBefore: false })).toBe(written)
    expect(recordText({ request: 'drain-a', since, cordonedBefore: true })).toBe(writtenOthers)
    expect(recordOf(nodeWith({ record: writtenOthers }))).toEqual({
      request: 'drain-a',
      since,
      cordonedBefore: true,
    })
  })

  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        fc.boolean(),
        (request, date, cordonedBefore) => {
          const record = { request, since: date.getTime(), cordonedBefore }
          expect(recordOf(nodeWith({ record: recordText(record) }))).toEqual(record)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('counts as missing if it is invalid', () => {
    expect(recordOf(nodeWith({}))).toBeUndefined()
    for (const record of [
      '',
      'null',
      '[]',
      '7',
      '{}',
      '{"request":"a","since":"yesterday"}',
      '{"since":"2026-03-01T11:00:00Z"}',
    ]) {
      expect(recordOf(nodeWith({ record }))).toBeUndefined()
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (record) => {
        const read = recordOf(nodeWith({ record }))
        expect(read === undefined || Number.isFinite(read.since)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it.each<[string, NodeSketch, number, boolean]>([
    ['starts now', {}, now, false],
    [
      'keeps its start after a user uncordoned the node',
      { record: written },
      now - 3_600_000,
      false,
    ],
    [
      'starts again for another request',
      { record: written.replace('drain-a', 'drain-b') },
      now,
      false,
    ],
    ['never starts in the future', { record: written.replace('T11', 'T13') }, now, false],
    ['detects that a user cordoned the node', { unschedulable: true }, now, true],
    [
      'detects that a user cordoned the node after the last uncordon',
      { unschedulable: true, lastApplied: 'uncordon-z' },
      now,
      true,
    ],
    [
      'treats the cordon of an earlier drain as its own',
      { unschedulable: true, lastApplied: 'drain-z' },
      now,
      false,
    ],
    [
      'treats the cordon of a cancelled drain as its own',
      { unschedulable: true, record: written.replace('drain-a', 'drain-b') },
      now,
      false,
    ],
    [
      'keeps that a user cordoned the node',
      { unschedulable: true, record: writtenOthers.replace('drain-a', 'drain-b') },
      now,
      true,
    ],
    ['drops that once the node was uncordoned', { record: writtenOthers }, now - 3_600_000, false],
  ])('a drain %s', (_, sketch, since, cordonedBefore) => {
    const record = recordFor(nodeWith({ desired: 'drain-a', ...sketch }), 'drain-a', now)
    expect(record).toEqual({ request: 'drain-a', since, cordonedBefore })
  })
})
