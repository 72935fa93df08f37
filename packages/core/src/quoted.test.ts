import { describe, expect, it } from 'vitest'
import { plain, quoted } from './quoted.ts'

describe('untrusted text in a message', () => {
  it('stays unchanged if it is harmless', () => {
    expect(plain('/etc/a-b_c.conf')).toBe('/etc/a-b_c.conf')
    expect(plain('a=1,b:2@c+d\\e')).toBe('a=1,b:2@c+d\\e')
  })

  it('is quoted otherwise, on one line', () => {
    expect(plain('a b')).toBe('"a b"')
    expect(plain('')).toBe('""')
    expect(quoted('a\n"b"\u0007')).toBe('"a\\n\\"b\\"\\u0007"')
  })

  it('is truncated if it is long', () => {
    expect(plain('x'.repeat(200))).toBe('x'.repeat(200))
    expect(plain('x'.repeat(201))).toBe(`"${'x'.repeat(200)}…"`)
  })
})
