import { describe, expect, it } from 'vitest'
import { lostSignatures } from './lost-signatures.ts'
import { readPolicy } from './policy-json.ts'

describe('signatures that nodes would no longer require', () => {
  const policy = (docker: object, rest = 'insecureAcceptAnything') =>
    readPolicy(JSON.stringify({ default: [{ type: rest }], transports: { docker } }))
  const signed = { type: 'sigstoreSigned', keyData: 'eA==' }
  const before = policy({
    'a.io/x': [{ type: 'insecureAcceptAnything' }, signed],
    'b.io': [{ type: 'reject' }],
  })
  it.each([
    ['nothing is required', policy({}), ['a.io/x']],
    [
      'nothing is required of the registry',
      policy({ 'a.io': [{ type: 'insecureAcceptAnything' }] }),
      ['a.io/x'],
    ],
    ['a narrower scope is signed', policy({ 'a.io/x/y': [signed] }), ['a.io/x']],
    ['the same scope is signed', policy({ 'a.io/x': [signed] }), []],
    ['the registry is signed', policy({ 'a.io': [signed] }), []],
    ['the registry is blocked', policy({ 'a.io': [{ type: 'reject' }] }), []],
    [
      'only another registry is allowed',
      policy({ 'c.io': [{ type: 'insecureAcceptAnything' }] }, 'reject'),
      [],
    ],
  ])('where %s', (_, now, lost) => {
    expect([...lostSignatures(now, before).keys()]).toEqual(lost)
  })
})
