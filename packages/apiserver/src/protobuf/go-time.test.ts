import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeProblem } from './go-time.ts'

const layout = '2006-01-02T15:04:05Z07:00'
const micro = '2006-01-02T15:04:05.000000Z07:00'

describe('a valid time in Go', () => {
  it.each([
    '2020-01-01T00:00:00Z',
    '2020-01-01T00:00:00.5Z',
    '2020-01-01T00:00:00,5Z',
    '2020-01-01T00:00:00+02:00',
    '2020-01-01T00:00:00+02:60',
    '2020-01-01T0:00:00Z',
    '2024-02-29T23:59:59-12:00',
    '0000-01-01T00:00:00Z',
  ])('%s', (text) => {
    expect(timeProblem(text, false)).toBeUndefined()
  })

  it('requires six fractional digits for MicroTime', () => {
    expect(timeProblem('2020-01-01T00:00:00.123456Z', true)).toBeUndefined()
  })
})

describe('an invalid time in Go', () => {
  it.each([
    ['yesterday', 'yesterday', '2006'],
    ['', '', '2006'],
    ['202a-01-01', '202a-01-01', '2006'],
    ['20200101', '0101', '-'],
    ['2020-1-01T00:00:00Z', '1-01T00:00:00Z', '01'],
    ['2020-01-0aT', '0aT', '02'],
    ['2020-01-01', '', 'T'],
    ['2020-01-01t00:00:00Z', 't00:00:00Z', 'T'],
    ['2020-01-01 00:00:00Z', ' 00:00:00Z', 'T'],
    ['2020-01-01T00:00:0"Z', '0"Z', '05'],
    ['2020-01-01T00:00:00', '', 'Z07:00'],
    ['2020-01-01T00:00:00.Z', '.Z', 'Z07:00'],
    ['2020-01-01T00:00:00+2:00', '+2:00', 'Z07:00'],
    ['2020-01-01T00:00:00+0200', '+0200', 'Z07:00'],
  ])('%s', (text, rest, part) => {
    expect(timeProblem(text, false)).toBe(
      `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${part}"`,
    )
  })

  it.each([
    ['2020-13-01T00:00:00Z', 'month out of range'],
    ['2020-00-01T00:00:00Z', 'month out of range'],
    ['2020-01-32T00:00:00Z', 'day out of range'],
    ['2020-02-31T00:00:00Z', 'day out of range'],
    ['2023-02-29T00:00:00Z', 'day out of range'],
    ['2020-01-01T25:00:00Z', 'hour out of range'],
    ['2020-01-01T00:61:00Z', 'minute out of range'],
    ['2020-01-01T00:00:61Z', 'second out of range'],
    ['2020-01-01T00:00:00+25:00', 'time zone offset hour out of range'],
    ['2020-01-01T00:00:00Zx', 'extra text: "x"'],
  ])('%s', (text, why) => {
    expect(timeProblem(text, false)).toBe(`parsing time "${text}": ${why}`)
  })

  it.each([
    ['2020-01-01T00:00:00Z', 'Z', '.000000'],
    ['2020-01-01T00:00:00', '', '.000000'],
    ['2020-01-01T00:00:00.5Z', '.5Z', '.000000'],
    ['2020-01-01T00:00:00.12345aZ', '.12345aZ', '.000000'],
    ['2020-01-01T00:00:00.1234567Z', '7Z', 'Z07:00'],
    ['2020-01-01T00:00:00.123456', '', 'Z07:00'],
    ['2020-02-31T00:00:00Z', 'Z', '.000000'],
  ])('%s for MicroTime', (text, rest, part) => {
    expect(timeProblem(text, true)).toBe(
      `parsing time "${text}" as "${micro}": cannot parse "${rest}" as "${part}"`,
    )
  })

  it("has an error for any text; JavaScript's format is valid", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(timeProblem(text, false)).toMatch(/^parsing time /)
      }),
    )
    const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
    fc.assert(
      fc.property(date, (when) => {
        const text = when.toISOString()
        expect(timeProblem(text, false)).toBeUndefined()
        expect(timeProblem(text.replace('Z', '000Z'), true)).toBeUndefined()
      }),
    )
  })
})
