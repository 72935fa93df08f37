import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readUnitSyntax } from './unit-syntax.ts'

// packages/ignition/test/corpus, topic "units", compares the validity of units with Ignition.

describe('readUnitSyntax', () => {
  it.each([
    ['[Unit', 'a section name has no "]"'],
    ['[Unit] x\n', 'unexpected text after the "]" of a section'],
    ['[Unit]\nA\n', 'a line is neither a section, a comment nor of the form name=value'],
    [`[Unit]\nA=${'x'.repeat(2046)}\n`, 'a line has 2048 bytes or more'],
  ])('reports the problem of %j', (contents, problem) => {
    expect(readUnitSyntax(contents)).toEqual({ problem, installs: false })
  })

  it.each([
    ['', false],
    ['[Install]\n', false],
    ['[Install]\nWantedBy=a.target', true],
    ['[Unit]\nA=b\n[Install]\nWantedBy=\\\na.target\n', true],
    ['[Install]\n# WantedBy=a.target\n[Unit]\nA=b\n', false],
    ['[ Install ]\nWantedBy=a.target\n', false],
  ])('detects whether %j has an [Install] section', (contents, installs) => {
    expect(readUnitSyntax(contents)).toEqual({ installs })
  })

  it('accepts generated units', () => {
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

  it('never throws, and terminates', () => {
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
