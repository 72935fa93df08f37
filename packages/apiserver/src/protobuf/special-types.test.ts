import { describe, expect, it } from 'vitest'
import { specialTypes } from './special-types.ts'

/** Wire bytes in hexadecimal, with spaces. */
const read = (type: string, hex: string): unknown =>
  specialTypes[type]!(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

describe('special types', () => {
  it('reads quantities as strings', () => {
    expect(read('Quantity', '0a 04 35 30 30 6d')).toBe('500m')
    expect(read('Quantity', '')).toBe('0')
  })

  it('reads integers or strings', () => {
    expect(read('IntOrString', '08 00 10 50 1a 00')).toBe(80)
    expect(read('IntOrString', '08 01 10 00 1a 03 77 65 62')).toBe('web')
    expect(read('IntOrString', '08 00 10 ff ff ff ff ff ff ff ff ff 01')).toBe(-1)
    expect(read('IntOrString', '08 01')).toBe('')
    expect(read('IntOrString', '')).toBe(0)
  })

  it('reads times with seconds, and with microseconds', () => {
    expect(read('Time', '08 d5 d2 95 93 06 10 00')).toBe('2022-04-24T15:14:29Z')
    expect(read('Time', '08 d5 d2 95 93 06 10 e8 07')).toBe('2022-04-24T15:14:29Z')
    expect(read('MicroTime', '08 d5 d2 95 93 06 10 e8 07')).toBe('2022-04-24T15:14:29.000001Z')
    expect(read('Time', '08 00 10 00')).toBe('1970-01-01T00:00:00Z')
  })

  it('reads an unset time as null', () => {
    expect(read('Time', '')).toBeNull()
    expect(read('MicroTime', '')).toBeNull()
  })

  it('rejects times that JSON cannot express', () => {
    expect(() => read('Time', '08 ff ff ff ff ff ff ff ff 7f')).toThrow('years 1 and 9999')
    expect(() => read('MicroTime', '08 00 10 ff ff ff ff 0f')).toThrow('years 1 and 9999')
  })

  it('reads embedded JSON', () => {
    expect(read('FieldsV1', '0a 0a 7b 22 66 3a 61 22 3a 7b 7d 7d')).toEqual({ 'f:a': {} })
    expect(read('JSON', '0a 02 31 32')).toBe(12)
    expect(read('JSON', '')).toBeNull()
    expect(() => read('JSON', '0a 01 7b')).toThrow('does not parse')
  })
})
