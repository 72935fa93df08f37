import { describe, expect, it } from 'vitest'
import { InvalidInput, isProgrammingError, messageOf } from './errors.ts'

describe('messageOf', () => {
  it('includes each cause once', () => {
    const refused = new Error('connection refused')
    const plain = new Error('cannot list nodes', { cause: refused })
    const repeating = new Error('cannot list nodes: connection refused', { cause: refused })
    expect(messageOf(plain)).toBe('cannot list nodes: connection refused')
    expect(messageOf(repeating)).toBe('cannot list nodes: connection refused')
  })

  it('accepts any thrown value', () => {
    expect(messageOf('text')).toBe('text')
    expect(messageOf(undefined)).toBe('undefined')
    expect(messageOf(new TypeError(''))).toBe('TypeError')
  })
})

describe('isProgrammingError', () => {
  it('distinguishes bugs from rejected input', () => {
    expect(isProgrammingError(new TypeError('x is not a function'))).toBe(true)
    expect(isProgrammingError(new InvalidInput('no such file'))).toBe(false)
    expect(isProgrammingError('text')).toBe(false)
  })
})
