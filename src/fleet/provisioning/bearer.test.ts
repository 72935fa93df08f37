import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bearer, readBearer } from './bearer.ts'

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER   a_b-c.~+/==', 'a_b-c.~+/=='],
  [undefined, undefined],
  ['', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearer a b', undefined],
  ['Bearer a,b', undefined],
  ['Bearer\tabc', undefined],
  ['Basic YTpi', undefined],
  ['xBearer abc', undefined],
  ['Bearer a=b', undefined],
  ['Bearer ä', undefined],
])('the header %j has the token %j', (header, token) => {
  expect(readBearer(header)).toBe(token)
})

it('every token is read back', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), (token) => {
      expect(readBearer(bearer(token))).toBe(token)
    }),
  )
})

it('any header is read without an error, and never yields a blank', () => {
  const parts = fc.constantFrom('Bearer', 'bearer', ' ', '=', 'a', '-', '\t', '\n', ',', 'é')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(parts).map((all) => all.join('')),
      ),
      (header) => {
        expect(readBearer(header) ?? 'a').toMatch(/^\S+$/)
      },
    ),
  )
})
