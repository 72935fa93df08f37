import { describe, expect, it } from 'vitest'
import { InvalidInput, isOwnMistake, messageOf } from './errors.ts'

describe('messageOf', () => {
  it('tells the causes, once', () => {
    const refused = new Error('connection refused')
    const plain = new Error('cannot list nodes', { cause: refused })
    const repeating = new Error('cannot list nodes: connection refused', { cause: refused })
    expect(messageOf(plain)).toBe('cannot list nodes: connection refused')
    expect(messageOf(repeating)).toBe('cannot list nodes: connection refused')
  })

  it('takes whatever was thrown', () => {
    expect(messageOf('text')).toBe('text')
    expect(messageOf(undefined)).toBe('undefined')
    expect(messageOf(new TypeError(''))).toBe('TypeError')
  })
})

describe('isOwnMistake', () => {
  it('tells our bugs from refusals', () => {
    expect(isOwnMistake(new TypeError('x is not a function'))).toBe(true)
    expect(isOwnMistake(new InvalidInput('no such file'))).toBe(false)
    expect(isOwnMistake('text')).toBe(false)
  })
})
