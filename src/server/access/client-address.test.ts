import { expect, it } from 'vitest'
import { clientOf, limitKey } from './client-address.ts'

it.each([
  ['10.0.0.5', '10.0.0.5'],
  ['::ffff:10.0.0.5', '10.0.0.5'],
  ['fd00:0:0::1', 'fd00::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['', 'unknown'],
  ['proxy.example.com', 'unknown'],
])('the client at %j is %s', (address, text) => {
  expect(clientOf(address).text).toBe(text)
})

it('clients of one IPv6 network share a rate limit', () => {
  expect(limitKey('fd00:1:2:3::1')).toBe(limitKey('fd00:1:2:3:ffff::9'))
  expect(limitKey('fd00:1:2:3::1')).not.toBe(limitKey('fd00:1:2:4::1'))
  expect(limitKey('10.0.0.5')).toBe(limitKey('::ffff:10.0.0.5'))
  expect(limitKey('10.0.0.5')).not.toBe(limitKey('10.0.0.6'))
})
