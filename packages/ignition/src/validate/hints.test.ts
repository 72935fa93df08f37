import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configShape } from '../spec/shape.ts'
import { isPasswordHash, keyHint, modeHint } from './hints.ts'

const { storage, systemd, passwd } = configShape
const file = storage.shape.files.shape

describe('keyHint', () => {
  it.each([
    [
      'inline',
      file.contents.shape,
      'this is Butane syntax, not Ignition: convert the file with butane, or write "source": "data:," followed by the URL-encoded text',
    ],
    ['trees', storage.shape, 'this is Butane syntax, not Ignition: convert the file with butane'],
    [
      'ssh_authorized_keys',
      passwd.shape.users.shape,
      'this is Butane syntax; in Ignition it is "sshAuthorizedKeys"',
    ],
    ['storag', configShape, 'did you mean "storage"?'],
    ['content', file, 'did you mean "contents"?'],
    ['shel', passwd.shape.users.shape, 'did you mean "shell"?'],
    ['enable', systemd.shape.units.shape, 'this is a key of spec 2: write "enabled"'],
    ['kernelType', configShape, 'this is a field of the spec of a MachineConfig, beside "config"'],
    ['comment', configShape, undefined],
    ['x', configShape, undefined],
    ['constructor', configShape, undefined],
    ['', configShape, undefined],
    ['storage'.repeat(50_000), configShape, undefined],
  ])('returns a hint for %s', (key, shape, hint) => {
    expect(keyHint(key, shape)).toBe(hint)
  })

  it('recognizes every key of a file with one letter missing', () => {
    const names = Object.keys(file).filter((name) => name.length > 4)
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, at) => {
        const letter = at % name.length
        const misspelt = name.slice(0, letter) + name.slice(letter + 1)
        expect(keyHint(misspelt, file)).toBe(`did you mean "${name}"?`)
      }),
    )
  })
})

describe('modeHint', () => {
  it.each([
    [644, 'did you mean octal 0644 = 420?'],
    [755, 'did you mean octal 0755 = 493?'],
    ['0644', 'did you mean octal 0644 = 420?'],
    ['644', 'did you mean octal 0644 = 420?'],
    [4755, 'did you mean octal 04755 = 2541?'],
    [0o755, undefined],
    [0, undefined],
    [-644, undefined],
    ['rw-r--r--', undefined],
  ])('of %s', (mode, hint) => {
    expect(modeHint(mode)).toBe(hint)
  })
})

describe('isPasswordHash', () => {
  // From openssl passwd -6, -5 and -1, and from crypt(5).
  it.each([
    '$6$abcdefgh$D7W7qyozKBT.t6FD3DVYHvADbIO0eSyI4.p20LaEUjro8PqTGYYo/EQcuNjhFbzo9Yg5ir1KIEqFY/yJpgFph0',
    '$5$abcdefgh$sI6g8tHKrJ6RX7w.YoN9B7a/5wK5jYEOMmMnt3tPl0/',
    '$1$abcdefgh$znAnv9M.XU2pRYfmSs46h/',
    '$y$j9T$abc$def',
    '$2b$12$abcdefghijklmnopqrstuv',
    'abJnggxhB/yWI',
    '!',
    '*',
    '!!',
    '!$6$abc$def',
    '',
  ])('accepts %s', (hash) => {
    expect(isPasswordHash(hash)).toBe(true)
  })

  it.each(['secret', 'password123', 'hunter2hunter2', '$9$x$y', '6$abc$def', 'a b c'])(
    'does not accept %s',
    (text) => {
      expect(isPasswordHash(text)).toBe(false)
    },
  )
})
