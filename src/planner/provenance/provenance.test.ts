import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Provenance } from '../model/plan-input.ts'
import {
  decodeProvenance,
  encodeProvenance,
  maxProvenanceLength,
  provenanceOf,
} from './provenance.ts'

const packed = (value: unknown): string => `1:${gzipSync(JSON.stringify(value)).toString('base64')}`

describe('provenance in an annotation', () => {
  it('survives a round trip', () => {
    const keys = fc.dictionary(fc.string(), fc.string(), { maxKeys: 8 })
    const kinds = fc.constantFrom('file' as const, 'unit' as const, 'fips' as const)
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, keys), { maxLength: 3 }), (entries) => {
        const provenance: Provenance = Object.fromEntries(entries)
        expect(decodeProvenance(encodeProvenance(provenance))).toEqual(
          Object.fromEntries(Object.entries(provenance).map(([kind, by]) => [kind, { ...by }])),
        )
      }),
      { numRuns: 100 },
    )
  })

  it('is parsed from the recorded format', () => {
    const text = packed({
      names: ['00-a', '99-b'],
      by: [
        ['file', [['/etc/x', 1]]],
        ['fips', [['', 0]]],
      ],
    })
    expect(decodeProvenance(text)).toEqual({ file: { '/etc/x': '99-b' }, fips: { '': '00-a' } })
  })

  it('is found on a MachineConfig', () => {
    const text = encodeProvenance({ fips: { '': 'a' } })
    const annotations = { 'machinist.dev/provenance': text }
    expect(provenanceOf({ metadata: { name: 'x', annotations } })).toEqual({ fips: { '': 'a' } })
    expect(provenanceOf({ metadata: { name: 'x' } })).toBeUndefined()
  })

  it('is small for thousands of files', () => {
    const paths = Array.from({ length: 10_000 }, (_, i) => [
      `/etc/set-${i % 1000}/file-${i}`,
      `mc-${i % 1000}`,
    ])
    const text = encodeProvenance({ file: Object.fromEntries(paths) })
    expect(text.length).toBeLessThan(maxProvenanceLength / 2)
    expect(decodeProvenance(text)?.file?.['/etc/set-7/file-7']).toBe('mc-7')
  })

  it('drops the largest kind if it would be too long', () => {
    // Incompressible: a generator without repetitions.
    let seed = 1
    const noise = (): string => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed.toString(36)
    }
    const paths = Array.from({ length: 40_000 }, () => [`/${noise()}`, 'a'])
    const text = encodeProvenance({ fips: { '': 'a' }, file: Object.fromEntries(paths) })
    expect(text.length).toBeLessThanOrEqual(maxProvenanceLength)
    expect(decodeProvenance(text)).toEqual({ fips: { '': 'a' } })
  })

  it.each([
    ['nothing', ''],
    ['a later format', packed({ names: [], by: [] }).replace('1:', '2:')],
    ['invalid base64', '1:***'],
    ['invalid gzip', '1:aGVsbG8='],
    ['no JSON', `1:${gzipSync('{').toString('base64')}`],
    ['another type', packed([1])],
    ['no names', packed({ by: [] })],
    ['an invalid index', packed({ names: [], by: [['file', [['/x', 4]]]] })],
    ['an invalid kind', packed({ names: [], by: [7] })],
  ])('is undefined for %s', (_, text) => {
    expect(decodeProvenance(text)).toBeUndefined()
  })

  it('never throws, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.jsonValue().map(packed)), (text) => {
        const read = decodeProvenance(text)
        expect(read === undefined || typeof read === 'object').toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
