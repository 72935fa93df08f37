import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base64Problem, NumberText, numberProblem, quantityProblem } from './go-scalars.ts'

describe('numbers', () => {
  it.each([
    [1.5, 'int64', 'number 1.5'],
    [300, 'uint8', 'number 300'],
    [3_000_000_000, 'int32', 'number 3000000000'],
    [-2_147_483_648, 'int32', undefined],
    [-2_147_483_649, 'int32', 'number -2147483649'],
    [new NumberText('80.0'), 'int32', 'number 80.0'],
    [new NumberText('8e1'), 'int32', 'number 8e1'],
    [new NumberText('9223372036854775807'), 'int64', undefined],
    [new NumberText('9223372036854775808'), 'int64', 'number 9223372036854775808'],
  ] as const)('%j as %s', (value, type, problem) => {
    expect(numberProblem(value, type)).toBe(problem)
  })
})

describe('quantities', () => {
  const form =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  const suffix = "unable to parse quantity's suffix"
  it.each(
    '. +. 5. .5 1E5 - 1E 1e-3 m + 1n 1e99999 1.5Ei -5 1Pi 99999999999999999999999'.split(' '),
  )('%s', (text) => {
    expect(quantityProblem(text)).toBeUndefined()
  })

  it.each([
    ['', form],
    ['lots', form],
    ['1e5x', form],
    ['1 2', form],
    ['0x1', form],
    ['1_', form],
    ['1pi', form],
    ['1.2.3', form],
    ['1Xi', form],
    ['1e', suffix],
    ['1e+', suffix],
    ['1kk', suffix],
    ['1Ki2', suffix],
    ['--1', suffix],
    ['1ie', suffix],
    ['1i', suffix],
  ])('%j is invalid', (text, why) => {
    expect(quantityProblem(text)).toBe(why)
  })
})

describe('base64', () => {
  it.each(['', 'YQ==', 'YWJj', 'YW\nJj', 'YQ=\n=', 'YR=='])('%j', (text) => {
    expect(base64Problem(text)).toBeUndefined()
  })

  it.each([
    ['YQ=', 3],
    ['YQ', 0],
    ['Y', 0],
    ['YWJj=', 4],
    ['YQ==YQ==', 4],
    ['é', 0],
    ['====', 0],
    ['YWJ', 0],
    ['Y*==', 1],
    ['YWJ*', 3],
    ['YQ=a', 2],
    ['YWI=x', 4],
    ['%%', 0],
    ['not base64!', 3],
  ])('%j is invalid', (text, at) => {
    expect(base64Problem(text)).toBe(`illegal base64 data at input byte ${at}`)
  })

  it("accepts Node's encoding, and detects every change of its length", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString('base64')
        expect(base64Problem(text)).toBeUndefined()
        expect(base64Problem(`${text}A`)).toMatch(/^illegal base64 data at input byte \d+$/)
      }),
    )
  })
})
