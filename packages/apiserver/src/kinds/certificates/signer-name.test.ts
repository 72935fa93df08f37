import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signerNameProblems } from './signer-name.ts'

const reported = (name: string): string[] =>
  signerNameProblems(name).map(({ message }) => message!.slice(0, 60))

describe("a signer's name", () => {
  it.each(['example.org/tester', 'kubernetes.io/kubelet-serving', 'a.b/c.d-e'])(
    'can be %s',
    (name) => {
      expect(signerNameProblems(name)).toEqual([])
    },
  )

  it.each([
    ['', ['Required value']],
    ['a', ['Invalid value: "a": must be a fully qualified domain and pat']],
    ['a.b/c/d', ['Invalid value: "a.b/c/d": must be a fully qualified domain a']],
    ['com/x', ['Invalid value: "com": should be a domain with at least two s']],
    ['A.b/c', ['Invalid value: "A.b": validating label "A": a lowercase RFC ']],
    ['a.b/', ['Invalid value: "": validating label "": a lowercase RFC 1123']],
    [`${'y.'.repeat(130)}com/a`, ['Too long: may not be more than 253 bytes']],
    [`a.b/${'y.'.repeat(300)}z`, ['Too long: may not be more than 571 bytes']],
  ])('cannot be %s', (name, problems) => {
    expect(reported(name)).toEqual(problems)
  })

  it('of any text is valid or has a message', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (name) => {
        const good = /^[a-z0-9-]+(\.[a-z0-9-]+)+\/[a-z0-9-]+(\.[a-z0-9-]+)*$/
        const found = signerNameProblems(name)
        expect(found.length > 0 || good.test(name)).toBe(true)
        expect(found.every(({ field }) => field === 'spec.signerName')).toBe(true)
      }),
    )
  })
})
