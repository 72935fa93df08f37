import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HostFailure } from '../../host-failure.ts'
import { readDictionary, readTexts } from './gvariant.ts'

/** /run/ostree/staged-deployment of ostree 2022.7. */
const recorded =
  'dGFyZ2V0AABuYW1lAAAAADllZDdiZmRlNzhmZjdlMmM5YjFiMjgwZWIzM2E1NjBiMzBiMDY4ZTkzNTRlYTg3MGE0NWRjYTcxZDNkMDUwMjcuMAAAcwUAAG9zbmFtZQAAZGViaWFuAABzBwAAAAAAAGJvb3Rjc3VtAAAAAAAAAAA0ZmQwMzI3NGM1NDQ5YmJhNzUzYzQ5ZDc5N2NhYmEwZTA4MmFkN2ZhNGVmOGNkYmU3ZTgzZTkxMjczOTNiMWIzAABzCU5ivABhe3N2fQcAAG1lcmdlLWRlcGxveW1lbnQAAAAAAAAAAG5hbWUAAAAAMTE4Mjg4ZGZmYzlhYTljZTVmMTNhMzc5MzE1MWYyMDRkNGYyYmFkY2IyNTE3YjM3MTRlM2M0M2UyODc0MjE5YS4wAABzBQAAb3NuYW1lAABkZWJpYW4AAHMHAAAAAAAAYm9vdGNzdW0AAAAAAAAAADRmZDAzMjc0YzU0NDliYmE3NTNjNDlkNzk3Y2FiYTBlMDgyYWQ3ZmE0ZWY4Y2RiZTdlODNlOTEyNzM5M2IxYjMAAHMJTmK8AGF7c3Z9EQAAa2FyZ3MAAAByb290PUxBQkVMPXJvb3QAcncAcXVpZXQAZm9vPSJhIGIiABATGSMAYXMGzgCuAeMB'

const bytes = Buffer.from(recorded, 'base64')

describe('a GVariant', () => {
  it('is a dictionary by name', () => {
    const dictionary = readDictionary(bytes)
    const types = [...dictionary].map(([key, { type }]) => [key, type])
    expect(types).toEqual([
      ['target', 'a{sv}'],
      ['merge-deployment', 'a{sv}'],
      ['kargs', 'as'],
    ])
    const kargs = readTexts(dictionary.get('kargs')!.value)
    expect(kargs).toEqual(['root=LABEL=root', 'rw', 'quiet', 'foo="a b"'])
    const target = readDictionary(dictionary.get('target')!.value)
    expect(Buffer.from(target.get('osname')!.value).toString()).toBe('debian\0')
  })

  it('may be empty', () => {
    expect(readTexts(new Uint8Array())).toEqual([])
    expect(readDictionary(new Uint8Array()).size).toBe(0)
  })

  it('holds any list of strings', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme-ascii' }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(texts, (words) => {
        expect(readTexts(written(words))).toEqual(words)
      }),
    )
    const long = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) => letter.repeat(10_000))
    expect(readTexts(written(long))).toEqual(long)
  })

  it('that is damaged fails quickly, with a HostFailure', () => {
    const damaged = fc
      .array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
      .map((changes) => {
        const copy = Buffer.from(bytes)
        for (const [at, value] of changes) copy[at] = value
        return copy
      })
    const cut = fc.nat(bytes.length).map((length) => bytes.subarray(0, length))
    fc.assert(
      fc.property(fc.oneof(damaged, cut, fc.uint8Array({ maxLength: 300 })), (input) => {
        expect(['read', 'HostFailure']).toContain(outcomeOf(input))
      }),
      { numRuns: 500 },
    )
  })
})

function outcomeOf(input: Uint8Array): string {
  try {
    const kargs = readDictionary(input).get('kargs')
    if (kargs) readTexts(kargs.value)
    return 'read'
  } catch (error) {
    return error instanceof HostFailure ? error.name : String(error)
  }
}

/** By the specification: the strings, then their end offsets. */
function written(words: readonly string[]): Buffer {
  const texts = words.map((word) => Buffer.from(`${word}\0`))
  const body = Buffer.concat(texts)
  const width = [1, 2, 4].find((size) => body.length + size * words.length < 2 ** (8 * size))!
  let end = 0
  const offsets = texts.map(({ length }) => {
    const offset = Buffer.alloc(4)
    offset.writeUInt32LE((end += length))
    return offset.subarray(0, width)
  })
  return Buffer.concat([body, ...offsets])
}
