import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { StatusError } from '../status/status-error.ts'
import { decodeContinue, encodeContinue, ExpiredContinue } from './continue-token.ts'

const token = (text: string): string => Buffer.from(text).toString('base64url')

describe('a continue token', () => {
  it('is the one of kube-apiserver', () => {
    expect(encodeContinue('/configmaps/default/', '/configmaps/default/b', 198)).toBe(
      'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTk4LCJzdGFydCI6Ii9iXHUwMDAwIn0',
    )
  })

  it('is decoded in both forms of kube-apiserver', () => {
    const withSlash = 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTk4LCJzdGFydCI6Ii9iXHUwMDAwIn0'
    const without = 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTk4LCJzdGFydCI6ImRcdTAwMDAifQ'
    expect(decodeContinue(withSlash)).toEqual({ revision: 198, after: 'b' })
    expect(decodeContinue(without)).toEqual({ revision: 198, after: 'd' })
  })

  it('without a version continues with the newest', () => {
    const inconsistent = 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYlx1MDAwMCJ9'
    expect(decodeContinue(inconsistent)).toEqual({ revision: undefined, after: 'b' })
    expect(decodeContinue(encodeContinue('/p/', '/p/b', undefined))).toEqual({
      revision: undefined,
      after: 'b',
    })
  })

  // Errors of kube-apiserver v1.32.4.
  it.each([
    ['abc', "invalid character 'i' looking for beginning of value"],
    ['!!!', 'illegal base64 data at input byte 0'],
    [token('{"v":"x","rv":1,"start":"a"}'), 'server does not recognize this encoded version x'],
    [token('{"rv":-2,"start":"a"}'), 'server does not recognize this encoded version '],
    [
      token('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}'),
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      token('{"v":"meta.k8s.io/v1","rv":1,"start":""}'),
      'encoded start key empty (version meta.k8s.io/v1)',
    ],
    [token('{"v":"meta.k8s.io/v1","rv":1,"start":"../../x"}'), '../../x'],
    [token('{"v":"meta.k8s.io/v1","rv":1,"start":"a"'), 'unexpected end of JSON input'],
    [
      token('{"v":"meta.k8s.io/v1","rv":"1","start":"a"}'),
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
  ])('%s is rejected', (garbage, why) => {
    expect(thrownBy(() => decodeContinue(garbage))).toEqual(
      new StatusError(
        400,
        'BadRequest',
        `invalid continue token: continue key is not valid: ${why}`,
      ),
    )
  })

  it('is unchanged by a round trip, for any key', () => {
    const segment = fc.stringMatching(/^[a-z0-9][a-z0-9.:-]{0,8}$/)
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.nat(), (path, revision) => {
        const key = path.join('/')
        const again = decodeContinue(encodeContinue('/p/', `/p/${key}`, revision + 1))
        expect(again).toEqual({ revision: revision + 1, after: key })
      }),
    )
  })

  it('of any content is decoded or rejected', () => {
    const nearly = fc
      .record(
        {
          v: fc.oneof(fc.constant('meta.k8s.io/v1'), fc.jsonValue()),
          rv: fc.oneof(fc.integer(), fc.jsonValue()),
          start: fc.oneof(fc.string(), fc.jsonValue()),
        },
        { requiredKeys: [] },
      )
      .map((content) => token(JSON.stringify(content)))
    const anything = fc.oneof(nearly, fc.string(), fc.json().map(token), fc.base64String())
    fc.assert(
      fc.property(anything, (text) => {
        const error = thrownBy(() => decodeContinue(text))
        expect(error === undefined || (error instanceof StatusError && error.code === 400)).toBe(
          true,
        )
      }),
      { numRuns: 500 },
    )
  })

  it('that has expired returns another one', () => {
    expect(new ExpiredContinue('next')).toMatchObject({
      code: 410,
      reason: 'Expired',
      continueToken: 'next',
      message:
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    })
  })
})
