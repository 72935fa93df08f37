import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { installOf } from './unit-install.ts'

describe('installOf', () => {
  it('reads lists, resets and continued lines, and ignores other sections', () => {
    const text = [
      '[Unit]',
      'WantedBy=not.target',
      '[Install]',
      '; WantedBy=comment.target',
      'WantedBy = a.target\tb.target',
      'RequiredBy=c.service \\',
      '# in between',
      '  d.service',
      'Alias=x.service',
      'Alias=',
      'Alias=y.service',
      'DefaultInstance=one',
      'Unknown=z',
    ].join('\n')
    expect(installOf([text, '[Install]\nAlso=e.socket'])).toEqual({
      wantedBy: ['a.target', 'b.target'],
      requiredBy: ['c.service', 'd.service'],
      alias: ['y.service'],
      also: ['e.socket'],
      defaultInstance: 'one',
    })
  })

  it('accepts any text', () => {
    const piece = fc.constantFrom(
      '[Install]',
      'WantedBy',
      '=',
      '\\',
      '\n',
      ' ',
      'x',
      '#',
      '__proto__',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { wantedBy } = installOf([pieces.join('')])
        expect(wantedBy.every((unit) => unit !== '' && !/\s/.test(unit))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
