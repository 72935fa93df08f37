import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseOsRelease } from './os-release.ts'

it('reads plain and quoted values', () => {
  const text = 'ID=fedora\n# ID=x\nNAME="Fedora \\"Core\\""\nVERSION_ID=\'41\'\nEMPTY=\nnot one\n'
  expect(Object.fromEntries(parseOsRelease(text))).toEqual({
    ID: 'fedora',
    NAME: 'Fedora "Core"',
    VERSION_ID: '41',
    EMPTY: '',
  })
})

it('accepts any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (text) => {
      expect([...parseOsRelease(text).keys()].every((key) => /^[A-Z0-9_]+$/.test(key))).toBe(true)
    }),
  )
})
