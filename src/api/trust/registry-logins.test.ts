import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isUnreadable, loginsText, readLogins } from './registry-logins.ts'

const roundTrip = (text: string, hasAuths = true): string => {
  const read = readLogins(Buffer.from(text), hasAuths)
  return isUnreadable(read) ? read.what : loginsText(read)
}
const full =
  '{"auths":{"a":{"username":"u","password":"p","email":"e","auth":"x"},"b":{"username":"","password":"","email":"","auth":"y"}}}'

describe('registry logins', () => {
  it.each([
    [
      'all fields, hosts sorted',
      '{"auths":{"b":{"auth":"y"},"a":{"auth":"x","email":"e","username":"u","password":"p"}}}',
      full,
    ],
    [
      'unknown fields are dropped',
      '{"auths":{"a":{"auth":"x","identitytoken":"t"}},"credsStore":"s"}',
      '{"auths":{"a":{"username":"","password":"","email":"","auth":"x"}}}',
    ],
    [
      'null is empty',
      '{"auths":{"a":{"auth":null}}}',
      '{"auths":{"a":{"username":"","password":"","email":"","auth":""}}}',
    ],
    ['no logins', '{"auths":{}}', '{"auths":{}}'],
    ['an empty object', '{}', '{"auths":{}}'],
    [
      'the host __proto__',
      '{"auths":{"__proto__":{"auth":"x"}}}',
      '{"auths":{"__proto__":{"username":"","password":"","email":"","auth":"x"}}}',
    ],
  ])('%s', (_, text, result) => {
    expect(roundTrip(text)).toBe(result)
  })

  it('parse from the older format', () => {
    expect(roundTrip('{"a":{"auth":"x"}}', false)).toBe(
      '{"auths":{"a":{"username":"","password":"","email":"","auth":"x"}}}',
    )
  })

  it.each([
    ['an empty file', '', 'is not a JSON object'],
    ['invalid JSON', '{"CANARY', 'is not a JSON object'],
    ['a list', '[]', 'is not a JSON object'],
    ['the older format', '{"CANARY":{"auth":"x"}}', 'has no object "auths"'],
    ['auths as a list', '{"auths":["CANARY"]}', 'has no object "auths"'],
    [
      'an entry that is not an object',
      '{"auths":{"a":{"auth":"x"},"b":"CANARY"}}',
      'entry 2 is not an object with string values',
    ],
    ['a number', '{"auths":{"CANARY":{"auth":1}}}', 'entry 1 is not an object with string values'],
  ])('are rejected without quoting the content: %s', (_, text, what) => {
    expect(roundTrip(text)).toBe(what)
  })

  it('of any JSON are rejected, or survive a round trip', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, hasAuths) => {
        const once = readLogins(Buffer.from(text), hasAuths)
        const again = isUnreadable(once) ? once.what : loginsText(once)
        expect(isUnreadable(once) ? roundTrip(text, hasAuths) : roundTrip(again)).toBe(again)
      }),
    )
    const login = fc.record({ auth: fc.string() })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), login), (auths) => {
        const read = readLogins(Buffer.from(JSON.stringify({ auths })), true)
        expect(isUnreadable(read) ? -1 : read.size).toBe(Object.keys(auths).length)
      }),
    )
  })
})
