import { expect, it } from 'vitest'
import { acceptsGzip, isNotModified } from './conditional.ts'

it.each([
  [undefined, false],
  ['', false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['"b","c"', false],
  ['*', true],
  ['a', false],
])('If-None-Match: %s matches the ETag "a": %s', (header, isSame) => {
  expect(isNotModified(header, '"a"')).toBe(isSame)
})

it.each([
  [undefined, false],
  ['identity', false],
  ['gzip', true],
  ['deflate, gzip;q=0.5', true],
  ['GZIP', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000', false],
  ['gzip;q=0.001', true],
  ['*', false],
  ['br', false],
])('Accept-Encoding: %s allows gzip: %s', (header, isAllowed) => {
  expect(acceptsGzip(header)).toBe(isAllowed)
})
