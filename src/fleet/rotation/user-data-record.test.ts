import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UserDataRecord } from './user-data-record.ts'
import { readUserDataRecord, updatedRecord, userDataRecordData } from './user-data-record.ts'

const [first, second] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
const [at, later] = [Date.parse(first), Date.parse(second)]
const record: UserDataRecord = new Map([
  ['worker', new Map([['b', later]])],
  [
    'master',
    new Map([
      ['b', later],
      ['a', at],
    ]),
  ],
])

describe('the record of the CAs in user data', () => {
  it('has a key for each pool', () => {
    const data = { master: `{"a":"${first}","b":"${second}"}`, worker: `{"b":"${second}"}` }
    expect(userDataRecordData(record)).toEqual(data)
    expect(Object.keys(userDataRecordData(record))).toEqual(['master', 'worker'])
    expect(readUserDataRecord(data)).toEqual(record)
    expect(readUserDataRecord(undefined)).toEqual(new Map())
  })

  it.each(['', 'null', '[]', '7', '{', '"a"', '{"a":"soon"}', '{"a":null}', '{"a":{}}'])(
    'contains no CA for a pool with the value %j',
    (text) => {
      expect(readUserDataRecord({ worker: text })).toEqual(new Map([['worker', new Map()]]))
    },
  )

  it('is read back, and any other text is read without an error', () => {
    const time = fc.integer({ min: 0, max: 4e9 }).map((seconds) => seconds * 1000)
    const authorities = fc
      .dictionary(fc.stringMatching(/^[0-9a-f]{1,8}$/), time)
      .map((all) => new Map(Object.entries(all)))
    const pools = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), authorities)
    fc.assert(
      fc.property(pools, (all) => {
        const given = new Map(Object.entries(all))
        expect(readUserDataRecord(userDataRecordData(given))).toEqual(given)
      }),
    )
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.anything()), (text) => {
        expect(readUserDataRecord({ worker: text }).get('worker')).toBeInstanceOf(Map)
      }),
    )
  })

  it('keeps the time of CAs that are still there, and forgets others', () => {
    const observed = new Map([
      ['master', ['a', 'c']],
      ['infra', ['a']],
    ])
    expect(updatedRecord(record, observed, later)).toEqual(
      new Map([
        [
          'master',
          new Map([
            ['a', at],
            ['c', later],
          ]),
        ],
        ['infra', new Map([['a', later]])],
      ]),
    )
  })
})
