import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateWithIgnition, findIgnition, warningPaths } from '@machinist/testing/real-ignition'
import { parseConfig } from '../src/parse/parse.ts'
import { arbitraryConfig } from '../src/arbitrary-config.fixture.ts'
import type { Verdict } from './corpus.ts'

/** Values that are valid in some places and invalid in others. */
const values: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -1, 420, 4096, 1.5, [], {}, [null], [{}], ['a', 'a']),
  fc.constantFrom('', 'a', '/a', '/a/', '/a/../b', 'a:b', 'a/b', '\u0000', 'sha512-a', 'gzip'),
  fc.constantFrom('data:,', 'data:,%', 'data:;base64,YQ=', 'http://a', 'http://a b', 'gs://a'),
  fc.constantFrom('a.service', 'a.conf', '[Unit]\nA=b\n', '[Unit', 'raid0', 'ext4', 'none'),
  fc.constantFrom('x'.repeat(40), 'ä'.repeat(6)),
)

/** A valid config in which up to two values are replaced. */
const nearlyValid = fc
  .tuple(
    arbitraryConfig({ onlyOldFields: true }),
    fc.constantFrom('3.0.0', '3.1.0', '3.2.0', '3.3.0'),
    fc.array(fc.tuple(fc.nat(), values), { maxLength: 2 }),
  )
  .map(([config, version, changes]) => {
    const changed = structuredClone({ ...config, ignition: { ...config.ignition, version } })
    for (const [which, value] of changes) exchange(changed, which, value)
    return JSON.stringify(changed)
  })

const ignition = await findIgnition()

describe.skipIf(!ignition.program)(`beside the real ignition-validate ${ignition.reason}`, () => {
  it('the validator agrees with Ignition on random configs', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(nearlyValid, async (text) => {
        expect(ourVerdict(text)).toBe(
          await validateWithIgnition(ignition.program!, Buffer.from(text)),
        )
      }),
      { numRuns: 150 },
    )
  })

  it('the validator warns of the same ignored keys and dropped bits', async () => {
    await fc.assert(
      fc.asyncProperty(withMistakes, async (text) => {
        const ours = parseConfig(text).report.entries.filter(({ mistake }) => mistake !== undefined)
        const places = ours.map(({ path }) => ['$', ...path].join('.'))
        const theirs = await warningPaths(ignition.program!, text)
        expect(places.toSorted()).toEqual(theirs.toSorted())
      }),
      { numRuns: 40 },
    )
  })
})

/** A valid config with keys that Ignition ignores and bits that it drops. */
const withMistakes = fc
  .record({
    version: fc.constantFrom('3.0.0', '3.1.0', '3.2.0', '3.3.0'),
    key: fc.constantFrom('inline', 'local', 'content', 'x_y'),
    mode: fc.constantFrom(0o644, 0o1777, 0o2755, 0o4755, 644, 755),
    below: fc.constantFrom('config', 'storage', 'file', 'contents', 'none'),
  })
  .map(({ version, key, mode, below }) => {
    const lost = (where: string): object => (where === below ? { [key]: 'x' } : {})
    const contents = { source: 'data:,a', ...lost('contents') }
    const file = { path: '/a', mode, contents, ...lost('file') }
    const storage = { files: [file], directories: [{ path: '/d', mode }], ...lost('storage') }
    return JSON.stringify({ ignition: { version }, storage, ...lost('config') })
  })

const ourVerdict = (text: string): Verdict => (parseConfig(text).report.fatal ? 'invalid' : 'valid')

/** Replaces one value of the config, except the version. */
function exchange(config: object, which: number, value: unknown): void {
  const places: [holder: Record<string, unknown>, key: string][] = []
  const visit = (holder: Record<string, unknown>): void => {
    for (const [key, inner] of Object.entries(holder)) {
      if (key === 'version') continue
      places.push([holder, key])
      if (typeof inner === 'object' && inner !== null) visit(inner as Record<string, unknown>)
    }
  }
  visit(config as Record<string, unknown>)
  const place = places[which % places.length]
  if (place) place[0][place[1]] = value
}
