import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { presetOf, rulesIn } from './preset-rules.ts'

const enabled = (text: string, unit: string): readonly string[] =>
  presetOf(rulesIn(text), unit).enable

describe('presets', () => {
  it('are decided by the first matching rule', () => {
    const text =
      '# enable c.service\ndisable a.service\n enable  a.* \nignore b.service\ndisable *\n'
    expect(enabled(text, 'a.service')).toEqual([])
    expect(enabled(text, 'a.socket')).toEqual(['a.socket'])
    expect(presetOf(rulesIn(text), 'b.service')).toEqual({ enable: [], disable: ['b.service'] })
  })

  it('enable a unit without a matching rule', () => {
    expect(enabled('disable a.service', 'b.service')).toEqual(['b.service'])
  })

  it.each([
    ['foo-?.service', 'foo-x.service', true],
    ['foo-?.service', 'foo-xy.service', false],
    ['[ab].service', 'b.service', true],
    ['[!ab].service', 'b.service', false],
    ['a.b', 'axb', false],
    ['a+(b)', 'aab', false],
    ['[z-a]', 'z', false],
  ])('match %s with %s', (pattern, unit, isMatch) => {
    expect(presetOf(rulesIn(`disable ${pattern}`), unit).disable).toEqual(isMatch ? [unit] : [])
  })

  it('name the instances of a template', () => {
    const text = 'enable t@.service one two\ndisable *'
    expect(enabled(text, 't@.service')).toEqual(['t@one.service', 't@two.service'])
    expect(enabled(text, 't@two.service')).toEqual(['t@two.service'])
    expect(enabled(text, 't@three.service')).toEqual([])
  })

  it('accept any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, unit) => {
        const { enable, disable } = presetOf(rulesIn(`disable ${pattern}`), unit)
        expect([...enable, ...disable]).toEqual([unit])
      }),
      { numRuns: 500 },
    )
  })
})
