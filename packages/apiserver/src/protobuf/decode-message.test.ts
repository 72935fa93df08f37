import { describe, expect, it } from 'vitest'
import { decodeMessage } from './decode-message.ts'
import { messagesOf } from './message-text.ts'
import { messageNamed } from './messages.ts'

const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex')

const decode = (fields: string, bytes: string): unknown =>
  decodeMessage(hex(bytes), messagesOf('test', `T: ${fields}`)[0]!)

describe('decodeMessage', () => {
  it('omits empty values, unless they are pointers or always printed', () => {
    const empty = '0a 00 12 00 1a 00 20 00 28 00 30 00'
    const fields =
      '1 text string, 2 pointed *string, 3 always string!, 4 number int32, 5 zero *int64, 6 off bool!'
    expect(decode(fields, empty)).toEqual({ pointed: '', always: '', zero: 0, off: false })
  })

  it('uses the last of several values, even if empty', () => {
    expect(decode('1 text string', '0a 01 61 0a 01 62')).toEqual({ text: 'b' })
    expect(decode('1 text string', '0a 01 61 0a 00')).toEqual({})
  })

  it('prints null for required lists, bytes and pointers', () => {
    const fields = '1 list []string!, 2 bytes bytes!, 3 other []string, 4 pointed *string?'
    expect(decode(fields, '')).toEqual({ list: null, bytes: null, pointed: null })
  })

  it('reads packed and unpacked numbers', () => {
    expect(decode('1 list []int64', '08 01 08 02')).toEqual({ list: [1, 2] })
    expect(decode('1 list []int64', '0a 03 01 96 01')).toEqual({ list: [1, 150] })
  })

  it('reads maps, also with omitted values', () => {
    const entry = '0a 06 0a 01 61 12 01 62 0a 03 0a 01 63'
    expect(decode('1 map map string', entry)).toEqual({ map: { a: 'b', c: '' } })
    expect(decode('1 map map bytes', entry)).toEqual({ map: { a: 'Yg==', c: '' } })
    expect(decode('1 map map Time', '0a 03 0a 01 63')).toEqual({ map: { c: null } })
  })

  it('reads signed numbers', () => {
    const minus = 'ff ff ff ff ff ff ff ff ff 01'
    expect(decode('1 a int32, 2 b int64', `08 ${minus} 10 ${minus}`)).toEqual({ a: -1, b: -1 })
  })

  it('skips unknown fields of every wire type', () => {
    const unknown = '38 96 01 42 01 00 49 00 00 00 00 00 00 00 00 55 00 00 00 00'
    expect(decode('1 text string', `${unknown} 0a 01 61 ${unknown}`)).toEqual({ text: 'a' })
  })

  it('replaces invalid UTF-8', () => {
    expect(decode('1 text string', '0a 02 61 ff')).toEqual({ text: 'a\ufffd' })
  })

  it('reports a field with the wrong wire type', () => {
    expect(() => decode('1 text string', '08 01')).toThrow('text is written as varint, not bytes')
    expect(() => decode('1 number int32', '0a 00')).toThrow(
      'number is written as bytes, not varint',
    )
    expect(() => decode('1 map map string', '08 01')).toThrow('map is written as varint, not bytes')
    const nan = '09 00 00 00 00 00 00 f8 7f'
    expect(() => decode('1 ratio double', nan)).toThrow('ratio is not a finite number')
  })

  it('reads union types', () => {
    const props = messageNamed('apiextensions.JSONSchemaProps')!
    // additionalProperties: false, and: true, and: a schema of type `x`
    expect(decodeMessage(hex('f2 01 02 08 00'), props)).toEqual({ additionalProperties: false })
    expect(decodeMessage(hex('f2 01 02 08 01'), props)).toEqual({ additionalProperties: true })
    expect(decodeMessage(hex('f2 01 07 08 01 12 03 2a 01 78'), props)).toEqual({
      additionalProperties: { type: 'x' },
    })
    // items: a list of two empty schemas
    expect(decodeMessage(hex('c2 01 04 12 00 12 00'), props)).toEqual({ items: [{}, {}] })
    // dependencies: k → ["x"]
    expect(decodeMessage(hex('82 02 08 0a 01 6b 12 03 12 01 78'), props)).toEqual({
      dependencies: { k: ['x'] },
    })
  })

  it('rejects a deeply nested schema', () => {
    const props = messageNamed('apiextensions.JSONSchemaProps')!
    let bytes: Buffer = Buffer.alloc(0)
    for (let i = 0; i < 400; i++) {
      const length = bytes.length
      const size = length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7]
      bytes = Buffer.concat([Buffer.from([0xe2, 0x01, ...size]), bytes])
    }
    expect(() => decodeMessage(bytes, props)).toThrow('nested too deeply')
  })
})
