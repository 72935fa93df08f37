import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryConfig } from '../arbitrary-config.fixture.ts'
import type { StructShape } from '../spec/field.ts'
import { configShape } from '../spec/shape.ts'
import { specs, versionText } from '../spec/version.ts'
import { parseConfig, parseConfigValue } from './parse.ts'

const keys = [
  ...new Set(keysOf(configShape)),
  '__proto__',
  'constructor',
  'toString',
  'Path',
  'FILES',
]

/** Arbitrary JSON with keys of the spec. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'large', withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, 420, -1, 1.5, 1e300, '', '/a', 'a', '/a/../b', '[Unit'),
    fc.constantFrom<unknown>(
      'data:;base64,YQ==',
      'data:,%',
      'http://[',
      'a.service',
      'x'.repeat(300),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 5 }),
  ),
})).value

const versions = fc.constantFrom(...specs.map(versionText))
const sections = fc.dictionary(fc.constantFrom(...Object.keys(configShape), '__proto__'), json)

describe('the parser, for any input', () => {
  it('returns a config or an error', () => {
    fc.assert(
      fc.property(versions, sections, (version, rest) => {
        const text = JSON.stringify({ ...rest, ignition: { version } })
        const { config, report } = parseConfig(text)
        expect(config === undefined).toBe(report.fatal)
        expect(report.entries.every(({ message, position }) => message !== '' && position)).toBe(
          true,
        )
        expect(parseConfigValue(JSON.parse(text)).report.fatal).toBe(report.fatal)
      }),
      { numRuns: 1000 },
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('returns a serialized config unchanged', () => {
    fc.assert(
      fc.property(versions, sections, (version, rest) => {
        const { config } = parseConfig(JSON.stringify({ ...rest, ignition: { version } }))
        fc.pre(config !== undefined)
        expect(parseConfig(JSON.stringify(config)).config).toEqual(config)
      }),
      { numRuns: 200 },
    )
  })

  it('reports every ignored key', () => {
    fc.assert(
      fc.property(arbitraryConfig(), fc.nat(), (valid, which) => {
        const text = JSON.stringify(valid)
        const changed = JSON.parse(text) as object
        const structs = structsIn(changed)
        Object.assign(structs[which % structs.length]!, { notOfTheSpec: 'x' })
        const { config, report } = parseConfigValue(changed)
        expect(config).toEqual(parseConfigValue(JSON.parse(text)).config)
        const lost = report.entries.filter(({ path }) => path.at(-1) === 'notOfTheSpec')
        expect(lost).toMatchObject([{ level: 'warning', mistake: 'certain' }])
      }),
      { numRuns: 200 },
    )
  })

  it('never throws for mutated text', () => {
    const whole = '{"ignition":{"version":"3.5.0"},"storage":{"files":[{"path":"/ä","mode":420}]}}'
    const cut = fc.nat({ max: whole.length })
    fc.assert(
      fc.property(cut, fc.string({ maxLength: 3 }), cut, (from, piece, to) => {
        const { config, report } = parseConfig(whole.slice(0, from) + piece + whole.slice(to))
        expect(config === undefined).toBe(report.fatal)
      }),
      { numRuns: 2000 },
    )
  })

  it('never throws for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        expect(parseConfig(bytes).report.fatal).toBe(true)
      }),
    )
  })

  it('takes time proportional to the number of findings', () => {
    const members = Array.from({ length: 50_000 }, (_, i) => `"k${i}":\n${i}`).join(',')
    const { report } = parseConfig(
      `{"ignition":{"version":"3.5.0",${members}},"storage":{${members}}}`,
    )
    expect(report.entries).toHaveLength(100_000)
    expect(report.entries.at(-1)).toEqual({
      level: 'warning',
      path: ['storage', 'k49999'],
      message: 'is ignored: the spec has no such key here',
      mistake: 'certain',
      position: { line: 100_001, column: 1 },
    })
  })
})

function structsIn(value: object): object[] {
  const below = Object.values(value).filter(
    (one: unknown): one is object => typeof one === 'object' && one !== null,
  )
  return [...(Array.isArray(value) ? [] : [value]), ...below.flatMap(structsIn)]
}

function keysOf(shape: StructShape): string[] {
  const below = Object.values(shape).map((field) => ('shape' in field ? keysOf(field.shape) : []))
  return [Object.keys(shape), ...below].flat()
}
