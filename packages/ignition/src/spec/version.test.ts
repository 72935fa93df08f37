import { describe, expect, it } from 'vitest'
import { internalSpec, readVersion, specAtLeast, specOf, specs, versionText } from './version.ts'

describe('versions', () => {
  it('have a text for each spec', () => {
    expect(specs.map(versionText)).toEqual(['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0'])
    expect(specs.map((spec) => specOf(versionText(spec)))).toEqual([...specs])
    expect(internalSpec).toBe('3.5')
  })

  it.each(['2.2.0', '3.6.0', '3.5.1', '3.5', '', '03.5.0'])(
    '%j is not a supported version',
    (version) => {
      expect(specOf(version)).toBeUndefined()
    },
  )

  // packages/ignition/test/corpus records the result of Ignition for each.
  it.each([
    ['3.2.0', '3.2'],
    ['03.02.000', '3.2'],
    ['3.0.0-', '3.0'],
    ['3.0.0-+', '3.0'],
    ['3.0.0+-', undefined],
    ['3.0.0-experimental', undefined],
    ['3.20.0', undefined],
    ['3.6.0', undefined],
    ['', undefined],
  ])('%j is read as %s', (version, spec) => {
    expect(readVersion(version)).toBe(spec)
  })

  it('are ordered', () => {
    expect(specAtLeast('3.1', '3.1')).toBe(true)
    expect(specAtLeast('3.5', '3.0')).toBe(true)
    expect(specAtLeast('3.0', '3.1')).toBe(false)
  })
})
