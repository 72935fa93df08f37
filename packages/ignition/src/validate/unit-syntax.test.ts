import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readUnitSyntax } from './unit-syntax.ts'

// Which units pass is held against Ignition itself, by the topic "units" of packages/ignition/test/corpus.

describe('readUnitSyntax', () => {
  it.each([
    ['[Unit', 'a section name has no "]"'],
    ['[Unit] x\n', 'there is text after the "]" of a section'],
    ['[Unit]\nA\n', 'a line is neither a section, a comment nor of the form name=value'],
    [`[Unit]\nA=${'x'.repeat(2046)}\n`, 'a line has 2048 bytes or more'],
  ])('says what is wrong with %j', (contents, problem) => {
    expect(readUnitSyntax(contents)).toEqual({ problem, installs: false })
  })

  it.each([
    ['', false],
    ['[Install]\n', false],
    ['[Install]\nWantedBy=a.target', true],
    ['[Unit]\nA=b\n[Install]\nWantedBy=\\\na.target\n', true],
    ['[Install]\n# WantedBy=a.target\n[Unit]\nA=b\n', false],
    ['[ Install ]\nWantedBy=a.target\n', false],
  ])('sees whether %j installs anything', (contents, installs) => {
    expect(readUnitSyntax(contents)).toEqual({ installs })
  })

  it('takes whatever a generator writes', () => {
    const word = fc.stringMatching(/^[A-Za-z]{1,12}$/)
    const option = fc.tuple(word, fc.stringMatching(/^[ -~]{0,40}[A-Za-z0-9]$/))
    const section = fc.tuple(word, fc.array(option, { maxLength: 5 }))
    fc.assert(
      fc.property(fc.array(section, { maxLength: 5 }), (sections) => {
        const lines = sections.flatMap(([name, options]) => [
          `[${name}]`,
          ...options.map(([key, value]) => `${key}=${value}`),
        ])
        const installs = sections.some(
          ([name, options]) => name === 'Install' && options.length > 0,
        )
        expect(readUnitSyntax(lines.join('\n'))).toEqual({ installs })
      }),
    )
  })

  it('throws at nothing, and comes to an end', () => {
    const pieces = fc.constantFrom(
      '[',
      ']',
      'A',
      '=',
      '\\',
      '#',
      ';',
      ' ',
      '\n',
      '\r',
      'ä',
      '\u0085',
      'x'.repeat(2000),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        expect(typeof readUnitSyntax(parts.join('')).installs).toBe('boolean')
      }),
      { numRuns: 1000 },
    )
  })
})
