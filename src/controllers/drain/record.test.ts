import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NodeSays } from './objects.fixture.ts'
import { nodeThat } from './objects.fixture.ts'
import { recordFor, recordOf, recordText } from './record.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const written = '{"request":"drain-a","since":"2026-03-01T11:00:00.000Z"}'
const writtenOthers =
  '{"request":"drain-a","since":"2026-03-01T11:00:00.000Z","cordonedBefore":true}'

describe('the record of a drain', () => {
  it('is text that says its request and its beginning', () => {
    const since = Date.parse('2026-03-01T11:00:00Z')
    expect(recordText({ request: 'drain-a', since, cordonedBefore: false })).toBe(written)
    expect(recordText({ request: 'drain-a', since, cordonedBefore: true })).toBe(writtenOthers)
    expect(recordOf(nodeThat({ record: writtenOthers }))).toEqual({
      request: 'drain-a',
      since,
      cordonedBefore: true,
    })
  })

  it('reads back as it was written', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        fc.boolean(),
        (request, date, cordonedBefore) => {
          const record = { request, since: date.getTime(), cordonedBefore }
          expect(recordOf(nodeThat({ record: recordText(record) }))).toEqual(record)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('counts as not there when it is damaged, whatever it is', () => {
    expect(recordOf(nodeThat({}))).toBeUndefined()
    for (const record of [
      '',
      'null',
      '[]',
      '7',
      '{}',
      '{"request":"a","since":"yesterday"}',
      '{"since":"2026-03-01T11:00:00Z"}',
    ]) {
      expect(recordOf(nodeThat({ record }))).toBeUndefined()
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (record) => {
        const read = recordOf(nodeThat({ record }))
        expect(read === undefined || Number.isFinite(read.since)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it.each<[string, NodeSays, number, boolean]>([
    ['begins now', {}, now, false],
    [
      'began when it is written, also after somebody uncordoned the node',
      { record: written },
      now - 3_600_000,
      false,
    ],
    [
      'begins anew for another request',
      { record: written.replace('drain-a', 'drain-b') },
      now,
      false,
    ],
    ['never begins in the future', { record: written.replace('T11', 'T13') }, now, false],
    ['finds that somebody had cordoned the node', { unschedulable: true }, now, true],
    [
      'finds that somebody had, after the last uncordon',
      { unschedulable: true, lastApplied: 'uncordon-z' },
      now,
      true,
    ],
    [
      'knows the cordon of an earlier drain as its own',
      { unschedulable: true, lastApplied: 'drain-z' },
      now,
      false,
    ],
    [
      'knows the cordon of a drain that was given up as its own',
      { unschedulable: true, record: written.replace('drain-a', 'drain-b') },
      now,
      false,
    ],
    [
      'still knows whose the cordon was',
      { unschedulable: true, record: writtenOthers.replace('drain-a', 'drain-b') },
      now,
      true,
    ],
    [
      'forgets about it once somebody has uncordoned the node',
      { record: writtenOthers },
      now - 3_600_000,
      false,
    ],
  ])('a drain %s', (_, says, since, cordonedBefore) => {
    const record = recordFor(nodeThat({ desired: 'drain-a', ...says }), 'drain-a', now)
    expect(record).toEqual({ request: 'drain-a', since, cordonedBefore })
  })
})
