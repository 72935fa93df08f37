import fc from 'fast-check'
import { expect, it } from 'vitest'
import { accountIn, groupIn, secretIn } from './account-lines.ts'

const passwd =
  'root:x:0:0:root:/root:/bin/bash\ncore:x:1000:1001:CoreOS Admin:/var/home/core/:/bin/bash\nbad:x:-1:0::/:/bin/sh\nshort:x:1:1\nhomeless:x:1:1:::\n'

it('finds an account by its whole name', () => {
  expect(accountIn(passwd, 'root')).toEqual({ uid: 0, gid: 0, home: '/root' })
  expect(accountIn(passwd, 'core')).toEqual({ uid: 1000, gid: 1001, home: '/var/home/core' })
  for (const name of ['cor', 'x', '', 'bad', 'short', 'homeless', 'nobody']) {
    expect(accountIn(passwd, name)).toBeUndefined()
  }
})

it('finds a group, and a secret', () => {
  const group = 'root:x:0:\nwheel:x:10:core,root\n'
  expect(groupIn(group, 'wheel')).toBe(10)
  expect(groupIn(group, 'core')).toBeUndefined()
  const shadow = 'root:*:19000:0:99999:7:::\ncore:$6$a$b:19000::::::\nempty::19000::::::\n'
  expect(secretIn(shadow, 'core')).toBe('$6$a$b')
  expect(secretIn(shadow, 'empty')).toBe('')
  expect(secretIn(shadow, 'nobody')).toBeUndefined()
})

it('accepts any text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, name) => {
      const account = accountIn(text, name)
      expect(account === undefined || Number.isSafeInteger(account.uid)).toBe(true)
    }),
  )
})
