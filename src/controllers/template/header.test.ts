import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { splitTemplate } from './header.ts'
import { TemplateProblem } from './liquid/liquid.ts'

describe('the header of a template', () => {
  it('may be missing', () => {
    expect(splitTemplate('a\n---\nb\n', 'f', 'file')).toEqual({
      header: { mode: 0o644, remove: false, whenLine: 0 },
      body: 'a\n---\nb\n',
      bodyLine: 1,
    })
  })

  it('has the attributes of a file', () => {
    const text = '---\n# why\nmode: 0600\nwhen: a == "b"\nuser: core\ngroup: wheel\n---\nx\n---\n'
    expect(splitTemplate(text, 'f', 'file')).toEqual({
      header: {
        mode: 0o600,
        when: 'a == "b"',
        whenLine: 4,
        remove: false,
        user: 'core',
        group: 'wheel',
      },
      body: 'x\n---\n',
      bodyLine: 8,
    })
  })

  it('has the attributes of a unit', () => {
    const { header } = splitTemplate('---\nenabled: false\nmask: true\n---\n', 'f', 'unit')
    expect(header).toMatchObject({ enabled: false, mask: true })
  })

  it.each([
    ['---\nmode: 0600\nx\n', 'file', 'f:1: the header has no end: add a second line of ---'],
    ['---\na: [\n---\n', 'file', /^f:\d+:\d+: header: not valid YAML: /],
    ['---\njust text\n---\n', 'file', 'f:2: the header must be a list of "name: value" lines'],
    [
      '---\n# x\nmood: 1\n---\n',
      'file',
      'f:3: unknown field mood in the header of a file; known fields are when, remove, mode, user, group',
    ],
    [
      '---\nmode: 0600\n---\n',
      'unit',
      'f:2: unknown field mode in the header of a unit; known fields are when, remove, enabled, mask',
    ],
    ['---\nmode: 01777\n---\n', 'file', 'f:2: mode must be a number like 0644, at most 0777'],
    ["---\nmode: '0600'\n---\n", 'file', 'f:2: mode must be a number like 0644, at most 0777'],
    ['---\nwhen: true\n---\n', 'file', 'f:2: when must be a condition as a string'],
    ['---\nremove: maybe\n---\n', 'dropin', 'f:2: remove must be true or false'],
  ] as const)('%j is refused', (text, type, message) => {
    const act = (): unknown => splitTemplate(text, 'f', type)
    expect(act).toThrow(TemplateProblem)
    expect(act).toThrow(message)
  })

  it('is parsed or rejected, with any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const thrown =
          thrownBy(() => splitTemplate(`---\n${text}\n---\nx`, 'f', 'file')) ??
          new TemplateProblem('none')
        expect(thrown).toBeInstanceOf(TemplateProblem)
      }),
      { numRuns: 300 },
    )
  })
})
