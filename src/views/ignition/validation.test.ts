import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import type { Validation } from './validation.ts'
import { validateSources } from './validation.ts'

const validated = (text: string | Uint8Array, origin = 'a.ign'): Validation =>
  validateSources([{ text, origin }])

describe('an Ignition config', () => {
  it('that is valid is reported as valid', () => {
    expect(validated('{"ignition":{"version":"3.2.0"}}')).toEqual({
      lines: ['a.ign: valid (Ignition 3.2.0)'],
      json: {
        valid: true,
        configs: [{ file: 'a.ign', valid: true, version: '3.2.0', entries: [] }],
      },
    })
  })

  it('is valid with warnings about probable mistakes', () => {
    const text = '{\n  "ignition": {"version": "3.2.0"},\n  "kernelArguments": {}\n}\n'
    const { problem, lines } = validated(text)
    expect(problem).toBeUndefined()
    expect(lines).toEqual([
      'a.ign: warning at $.kernelArguments (line 3, column 22): is ignored: it needs version 3.3.0 or later; in a MachineConfig use spec.kernelArguments',
    ])
  })

  it('that is invalid has its first error in one line', () => {
    const text = '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"a"},{"path":"b"}]}}'
    const { problem, json } = validated(Buffer.from(text), 'standard input')
    expect(problem).toBe(
      'standard input is not valid: error at $.storage.files[0].path (line 1, column 61): must be an absolute path that starts with "/" (and 1 more)',
    )
    const entry = {
      level: 'error',
      message: 'must be an absolute path that starts with "/"',
      line: 1,
    }
    expect(json).toEqual({
      valid: false,
      configs: [
        {
          file: 'standard input',
          valid: false,
          version: '3.2.0',
          entries: [
            { ...entry, path: '$.storage.files[0].path', column: 61 },
            { ...entry, path: '$.storage.files[1].path', column: 74 },
          ],
        },
      ],
    })
  })

  it('can be of spec 2 and in YAML', () => {
    expect(validated('{"ignition":{"version":"2.2.0"}}').lines).toEqual([
      'a.ign: valid (Ignition 2.2.0)',
    ])
    expect(validated('ignition: {version: 3.2.0}\n').lines).toEqual([
      'a.ign: valid (Ignition 3.2.0)',
    ])
  })

  it.each([
    ['', 'a.ign is not valid: error at $: the config is empty'],
    [
      '{"ignition":',
      'a.ign is not valid: error at $ (line 1, column 13): not valid JSON: unexpected end of the text',
    ],
    [
      '{}',
      'a.ign is not valid: error at $.ignition.version (line 1, column 1): is missing; use one of 2.2.0, 3.0.0, 3.1.0, 3.2.0, 3.3.0, 3.4.0, 3.5.0',
    ],
    [
      'variant: openshift\nversion: 4.16.0\nmetadata: {name: 99-x}\n',
      'a.ign is not valid: error at $.ignition.version: is missing; this is a Butane config: convert it with butane first',
    ],
    ['hello', 'a.ign is not valid: error at $: must be an object, not a string'],
    [
      'apiVersion: v1\nkind: ConfigMap\n',
      'a.ign is not valid: error: contains neither an Ignition config nor a MachineConfig',
    ],
    [
      'ignition: {version: 3.2.0}\nstorage: {files: [{path: /a, contents: {source: hello}}]}\n',
      'a.ign is not valid: error at $.storage.files[0].contents.source: is not a valid absolute URL; for contents in the config itself, write "data:," followed by the URL-encoded text',
    ],
  ])('has a problem: %j', (text, problem) => {
    expect(validated(text).problem).toBe(problem)
  })
})

const machineConfig = (name: string, spec: string): string =>
  `apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: ${name}}\nspec: ${spec}\n`

describe('a MachineConfig', () => {
  const files = (...list: string[]): string =>
    `{config: {ignition: {version: 3.2.0}, storage: {files: [${list.join(', ')}]}}}`

  it.each([
    ['{}', ['valid']],
    ['{kernelArguments: [quiet]}', ['valid']],
    [files("{path: /a, mode: 0644, contents: {source: 'data:,a'}}"), ['valid (Ignition 3.2.0)']],
    [
      files('{path: /a, contents: {inline: hello}}'),
      [
        'error at $.spec.config.storage.files[0].contents.inline: is ignored: the spec has no such key here; this is Butane syntax, not Ignition: convert the file with butane, or write "source": "data:," followed by the URL-encoded text',
      ],
    ],
    [
      files('{path: /a, mode: 644}'),
      [
        'error at $.spec.config.storage.files[0].mode: 644 is octal 1204; did you mean octal 0644 = 420?',
      ],
    ],
    [
      files('{path: /a, mode: "0644"}'),
      [
        'error at $.spec.config.storage.files[0].mode: must be an integer (did you mean octal 0644 = 420?), not a string',
      ],
    ],
    [
      '{config: {ignition: {version: 3.2.0}, passwd: {users: [{name: core, passwordHash: hunter2}]}}}',
      [
        'warning at $.spec.config.passwd.users[0].passwordHash: is not a crypt(3) hash, so password login is impossible; create a hash with "mkpasswd" or "openssl passwd -6", and change the password if this is the password in plain text',
      ],
    ],
    [
      '{storage: {files: []}, kernelArgument: [a], kernelType: turbo}',
      [
        'error: spec.kernelType of 99-x: kernelType=turbo is invalid: it must be one of default, realtime, 64k-pages',
        'error: spec.storage is ignored: a MachineConfig has no such field; did you mean spec.config.storage?',
        'error: spec.kernelArgument is ignored: a MachineConfig has no such field; did you mean "kernelArguments"?',
      ],
    ],
    [
      '{config: {ignition: {version: 9.9.9}}, kernelType: turbo}',
      [
        'error at $.spec.config.ignition.version: is not a supported version; use one of 2.2.0, 3.0.0, 3.1.0, 3.2.0, 3.3.0, 3.4.0, 3.5.0',
        'error: spec.kernelType of 99-x: kernelType=turbo is invalid: it must be one of default, realtime, 64k-pages',
      ],
    ],
    ['text', ['error: the spec of 99-x must be an object']],
  ])('is validated by itself: %s', (spec, lines) => {
    expect(validated(machineConfig('99-x', spec), 'a.yaml').lines).toEqual(
      lines.map((line) => `a.yaml: MachineConfig 99-x: ${line}`),
    )
  })

  it('can be in documents and lists of several files', () => {
    const list = JSON.stringify({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfigList',
      items: [
        { metadata: { name: '99-c' }, spec: { fips: 'yes' } },
        { metadata: {}, spec: {} },
      ],
    })
    const documents = [
      machineConfig('99-a', '{}'),
      'kind: ConfigMap\napiVersion: v1\n',
      machineConfig('99-b', '{config: {ignition: {version: 3.2.0}}}'),
    ]
    const { lines, problem, json } = validateSources([
      { text: documents.join('---\n'), origin: 'a.yaml' },
      { text: list, origin: 'list.json' },
    ])
    expect(lines).toEqual([
      'a.yaml: MachineConfig 99-a: valid',
      'a.yaml: MachineConfig 99-b: valid (Ignition 3.2.0)',
      'list.json: MachineConfig 99-c: error: spec.fips of 99-c must be true or false',
      'list.json: MachineConfig (no name): error: metadata.name is missing',
    ])
    expect(problem).toBe(
      'list.json: MachineConfig 99-c is not valid: error: spec.fips of 99-c must be true or false (and 1 more)',
    )
    expect(json.configs.map(({ machineConfig: name, valid }) => [name, valid])).toEqual([
      ['99-a', true],
      ['99-b', true],
      ['99-c', false],
      ['', false],
    ])
  })

  it('is not quoted in messages', () => {
    const { lines } = validated(
      machineConfig(
        '99-x',
        files('{path: /a, contents: {inline: TopSecret, source: TopSecret}, TopKey: TopSecret}'),
      ),
    )
    expect(lines.length).toBe(3)
    expect(lines.join('\n')).not.toContain('TopSecret')
  })
})

it('any text has a result', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      fc.constantFrom(null, true, 1, 'x', '3.2.0', 'MachineConfig', 'List'),
      fc.array(tie('any'), { maxLength: 2 }),
      fc.dictionary(
        fc.constantFrom(
          'kind',
          'apiVersion',
          'metadata',
          'name',
          'spec',
          'config',
          'items',
          '__proto__',
        ),
        tie('any'),
        { maxKeys: 4 },
      ),
    ),
  })).any
  const text = fc.oneof(
    fc.string(),
    value.map((one) => JSON.stringify(one)),
  )
  fc.assert(
    fc.property(text, (given) => {
      expect(verdictOn(given)).toMatch(
        /^(?:a\.ign: |a\.ign: MachineConfig .*: )?(?:valid|warning|error|not valid YAML)/,
      )
    }),
  )
})

function verdictOn(text: string): string {
  try {
    return validated(text).lines[0]!
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}
