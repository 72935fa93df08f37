import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queryValue, splitUrl } from './urls.ts'

// packages/ignition/test/corpus, topic "sources", compares the validity of URLs with Ignition.

describe('splitUrl', () => {
  it.each([
    ['https://a:1/b?c=d#e', { scheme: 'https', opaque: '', query: 'c=d' }],
    ['HTTP:a', { scheme: 'http', opaque: 'a', query: '' }],
    [
      'arn:aws:s3:::a/b?versionId=1',
      { scheme: 'arn', opaque: 'aws:s3:::a/b', query: 'versionId=1' },
    ],
    ['data:,a?b?c', { scheme: 'data', opaque: ',a', query: 'b?c' }],
    ['s3://a/b?', { scheme: 's3', opaque: '', query: '' }],
    ['http://[fe80::1%25en0]:80/', { scheme: 'http', opaque: '', query: '' }],
  ])('splits %s', (url, split) => {
    expect(splitUrl(url)).toEqual(split)
  })

  it.each([
    '',
    ':',
    '//a',
    'a/b',
    '1a:b',
    'http://a b',
    'http://a:b',
    'http://[a',
    'http://a/%',
    '\n',
  ])('rejects %j', (url) => {
    expect(splitUrl(url)).toBeUndefined()
  })

  it('accepts every URL that the URL class serializes', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        expect(splitUrl(url)?.scheme).toBe(url.slice(0, url.indexOf(':')))
      }),
    )
  })

  it('never throws', () => {
    const pieces = fc.constantFrom(
      ...'http: : / // ? # % %41 %25 %e9 @ [ ] a 1 . + - ä "'.split(' '),
      ' ',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        expect(typeof splitUrl(parts.join(''))).toMatch(/^(object|undefined)$/)
      }),
      { numRuns: 2000 },
    )
  })

  it('takes time proportional to the length', () => {
    const pieces = ['@', ':', '[', ']', '%25', '%e9', '/', '?', '#', 'a', 'a.', '%']
    const verdicts = (times: number): boolean[] =>
      pieces
        .map((piece) => piece.repeat(times))
        .flatMap((text) => [`http://${text}`, `http://[${text}]`, `${text}:`])
        .map((url) => splitUrl(url) !== undefined)
    expect(verdicts(500_000)).toEqual(verdicts(5))
  })
})

describe('queryValue', () => {
  it.each([
    ['versionId=1', '1'],
    ['a=b&versionId=1&versionId=2', '1'],
    ['versionId', ''],
    ['versionId=', ''],
    ['version%49d=%41+b', 'A b'],
    ['versionid=1', undefined],
    ['versionId=1;', undefined],
    ['versionId=%zz', undefined],
    ['', undefined],
  ])('in %j is %j', (query, value) => {
    expect(queryValue(query, 'versionId')).toBe(value)
  })
})
