import { expect, it } from 'vitest'
import { withoutLeading, withoutTrailing } from './trimmed.ts'

it.each([
  ['', '', ''],
  ['/', '', ''],
  ['///', '', ''],
  ['a/b', 'a/b', 'a/b'],
  ['//a//b//', 'a//b//', '//a//b'],
])('trims %j at one end', (text, withoutLead, withoutTrail) => {
  expect(withoutLeading(text, '/')).toBe(withoutLead)
  expect(withoutTrailing(text, '/')).toBe(withoutTrail)
})
