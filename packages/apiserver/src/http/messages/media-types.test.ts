import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StatusError } from '../../status/status-error.ts'
import { negotiate, parseAccept, parseMediaType } from './media-types.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const everyShape = (): boolean => true
const noShape = (): boolean => false

describe('negotiate', () => {
  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    'application/json;charset=utf-8',
  ])('answers %j in JSON', (accept) => {
    expect(negotiate(accept, noShape)).toEqual({ encoding: 'application/json' })
  })

  it('uses the first supported kind', () => {
    const accept = `${table},application/json`
    expect(negotiate(accept, everyShape)).toEqual({
      encoding: 'application/json',
      as: { kind: 'Table', group: 'meta.k8s.io', version: 'v1' },
    })
    expect(negotiate(accept, noShape)).toEqual({ encoding: 'application/json' })
  })

  it('skips protobuf, which is supported only in requests', () => {
    const accept = 'application/vnd.kubernetes.protobuf,application/json'
    expect(negotiate(accept, noShape)).toEqual({ encoding: 'application/json' })
  })

  it('prefers the highest quality', () => {
    const accept = 'application/json;q=0.5, application/yaml'
    expect(negotiate(accept, noShape)).toEqual({ encoding: 'application/yaml' })
    expect(() => negotiate('application/json;q=0', noShape)).toThrow('406: Not Acceptable')
  })

  it('answers or rejects any header', () => {
    fc.assert(
      fc.property(fc.string(), (accept) => {
        const answer = outcome(accept)
        expect(answer instanceof StatusError || answer.startsWith('application/')).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

function outcome(accept: string): string | StatusError {
  try {
    return negotiate(accept, noShape).encoding
  } catch (error) {
    return error as StatusError
  }
}

describe('media types', () => {
  it('are parsed with their parameters', () => {
    expect(parseMediaType('Application/JSON; Charset="utf-8"; as=Table')).toEqual({
      type: 'application/json',
      parameters: { charset: 'utf-8', as: 'Table' },
    })
    expect(parseAccept('a/b;q=0.1, c/d').map(({ type }) => type)).toEqual(['c/d', 'a/b'])
  })
})
