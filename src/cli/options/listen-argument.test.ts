import { expect, it } from 'vitest'
import { listenArgument } from './listen-argument.ts'

it.each([
  [':8797', { host: '', port: 8797 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['[::1]:8797', { host: '::1', port: 8797 }],
])('listens at %s', (text, address) => {
  expect(listenArgument(text)).toEqual(address)
})

it.each(['8797', ':', ':99999', '::1', ':x', ''])('rejects %j as an address', (text) => {
  expect(() => listenArgument(text)).toThrow('Expected host:port, such as 127.0.0.1:6443.')
})
