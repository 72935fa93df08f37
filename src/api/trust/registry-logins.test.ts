import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isUnreadable, loginsText, readLogins } from './registry-logins.ts'

const said = (text: string, hasAuths = true): string => {
  const read = readLogins(Buffer.from(text), hasAuths)
  return isUnreadable(read) ? read.what : loginsText(read)
}
const full =
  '{"auths":{"a":{"username":"u","password":"p","email":"e","auth":"x"},"b":{"username":"","password":"","email":"","auth":"y"}}}'

describe('logins', () => {
  it.each([
    [
      'all fields, hosts in order',
      '{"auths":{"b":{"auth":"y"},"a":{"auth":"x","email":"e","username":"u","password":"p"}}}',
      full,
    ],
    [
      'what nobody asks for is left out',
      '{"auths":{"a":{"auth":"x","identitytoken":"t"}},"credsStore":"s"}',
      '{"auths":{"a":{"username":"","password":"","email":"","auth":"x"}}}',
    ],
    [
      'null says nothing',
      '{"auths":{"a":{"auth":null}}}',
      '{"auths":{"a":{"username":"","password":"","email":"","auth":""}}}',
    ],
    ['none', '{"auths":{}}', '{"auths":{}}'],
    ['an empty object', '{}', '{"auths":{}}'],
    [
      'a strange host',
      '{"auths":{"__proto__":{"auth":"x"}}}',
      '{"auths":{"__proto__":{"username":"","password":"","email":"","auth":"x"}}}',
    ],
  ])('%s', (_, text, result) => {
    expect(said(text)).toBe(result)
  })

  it('are also read in the older form', () => {
    expect(said('{"a":{"auth":"x"}}', false)).toBe(
      '{"auths":{"a":{"username":"","password":"","email":"","auth":"x"}}}',
    )
  })

  it.each([
    ['nothing', '', 'is not a JSON object'],
    ['no JSON', '{"CANARY', 'is not a JSON object'],
    ['a list', '[]', 'is not a JSON object'],
    ['the older form', '{"CANARY":{"auth":"x"}}', 'has no object "auths"'],
    ['auths as a list', '{"auths":["CANARY"]}', 'has no object "auths"'],
    ['no object', '{"auths":{"a":{"auth":"x"},"b":"CANARY"}}', 'entry 2 is not an object of texts'],
    ['a number', '{"auths":{"CANARY":{"auth":1}}}', 'entry 1 is not an object of texts'],
  ])('are refused without quoting them: %s', (_, text, what) => {
    expect(said(text)).toBe(what)
  })

  it('of any JSON are read or refused, and read again as the same', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (text, hasAuths) => {
        const once = readLogins(Buffer.from(text), hasAuths)
        const again = isUnreadable(once) ? once.what : loginsText(once)
        expect(isUnreadable(once) ? said(text, hasAuths) : said(again)).toBe(again)
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
