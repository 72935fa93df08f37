import { describe, expect, it } from 'vitest'
import { validateText } from './ignition-validate.ts'

describe('validateText', () => {
  it('has nothing to say about a good config', () => {
    expect(validateText('{"ignition":{"version":"3.2.0"}}', 'a.ign')).toEqual({
      fatal: false,
      lines: [],
      json: { valid: true, version: '3.2.0', entries: [] },
    })
  })

  it('warns of what is good enough but not as meant', () => {
    const text = '{\n  "ignition": {"version": "3.2.0"},\n  "kernelArguments": {}\n}\n'
    const { fatal, problem, lines } = validateText(text, 'a.ign')
    expect({ fatal, problem }).toEqual({ fatal: false, problem: undefined })
    expect(lines).toEqual([
      'a.ign: warning at $.kernelArguments (line 3, column 22): is ignored: it needs version 3.3.0 or later',
    ])
  })

  it('says in one line why a config cannot be used', () => {
    const text = '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"a"},{"path":"b"}]}}'
    const { fatal, problem, json } = validateText(Buffer.from(text), 'standard input')
    expect(fatal).toBe(true)
    expect(problem).toBe(
      'standard input is not valid: error at $.storage.files[0].path (line 1, column 61): must be absolute, that is, begin with "/" (and 1 more)',
    )
    expect(json).toEqual({
      valid: false,
      version: '3.2.0',
      entries: [
        {
          level: 'error',
          path: '$.storage.files[0].path',
          message: 'must be absolute, that is, begin with "/"',
          line: 1,
          column: 61,
        },
        {
          level: 'error',
          path: '$.storage.files[1].path',
          message: 'must be absolute, that is, begin with "/"',
          line: 1,
          column: 74,
        },
      ],
    })
  })

  it('reads spec 2 as well', () => {
    expect(validateText('{"ignition":{"version":"2.2.0"}}', 'a.ign').json).toEqual({
      valid: true,
      version: '2.2.0',
      entries: [],
    })
  })

  it.each([
    ['', 'a.ign is not valid: error at $: the config is empty'],
    [
      '{"ignition":',
      'a.ign is not valid: error at $ (line 1, column 13): not valid JSON: the text ends too early',
    ],
    [
      '{}',
      'a.ign is not valid: error at $.ignition.version (line 1, column 1): is missing; use one of 2.2.0, 3.0.0, 3.1.0, 3.2.0, 3.3.0, 3.4.0, 3.5.0',
    ],
  ])('says what is wrong with %j', (text, problem) => {
    expect(validateText(text, 'a.ign').problem).toBe(problem)
  })
})
