import { describe, expect, it } from 'vitest'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { configOf, fileWith, ignition } from './render-inputs.fixture.ts'
import { readInput } from './read-input.ts'

const problems = (spec: MachineConfigSpec): readonly string[] =>
  readInput(configOf('99-x', spec)).problems

describe('a MachineConfig on its own', () => {
  it.each<[string, MachineConfigSpec]>([
    ['nothing', {}],
    ['an empty config of spec 2', ignition({}, '2.2.0')],
    ['an empty config of spec 3', ignition({}, '3.5.0')],
    ['an empty Ignition part with kernel arguments', { config: {}, kernelArguments: ['x'] }],
    [
      'a file of spec 2',
      ignition({ storage: { files: [{ filesystem: 'root', path: '/x', mode: 420 }] } }, '2.2.0'),
    ],
    [
      'a file of the first spec 2',
      ignition({ storage: { files: [{ filesystem: 'root', path: '/x', mode: 420 }] } }, '2.0.0'),
    ],
    // Ignition before 3.4 drops such bits with a warning.
    ['a sticky file of spec 3.2', fileWith('/x', 'y', { mode: 0o1777 })],
    ['a file', fileWith('/x', 'y', { mode: 420 })],
    ['known extensions', { extensions: ['usbguard', 'kerberos'] }],
  ])('may contain %s', (_, spec) => {
    expect(problems(spec)).toEqual([])
  })

  it.each<[string, MachineConfigSpec, RegExp]>([
    [
      'users but no version',
      { config: { passwd: { users: [{ name: 'core' }] } } },
      /99-x failed: \$\.ignition\.version/,
    ],
    ['an unknown version', ignition({}, '21.0.0'), /99-x failed: \$\.ignition\.version/],
    ['something else', { config: 'text' as unknown as Record<string, unknown> }, /99-x/],
    [
      'a sticky file of spec 3.4',
      ignition({ storage: { files: [{ path: '/x', mode: 0o1777 }] } }, '3.4.0'),
      /^spec\.config\.storage\.files\[0\]\.mode of 99-x: mode 1777 of \/x cannot exceed 0777$/,
    ],
    [
      'an unknown kernel type',
      { kernelType: 'turbo' },
      /^spec\.kernelType of 99-x: kernelType=turbo is invalid/,
    ],
    [
      'unknown extensions, without an Ignition config',
      { extensions: ['usbguard', 'foo'] },
      /^spec\.extensions of 99-x: invalid extensions found: foo;/,
    ],
    [
      'a wrong type',
      { kernelArguments: 'x' as unknown as string[] },
      /^spec\.kernelArguments of 99-x must be a list of strings$/,
    ],
    [
      'an image that is not a string',
      { baseOSExtensionsContainerImage: 1 as unknown as string },
      /^spec\.baseOSExtensionsContainerImage of 99-x must be a string$/,
    ],
  ])('must not contain %s', (_, spec, message) => {
    const [problem, ...others] = problems(spec)
    expect(problem).toMatch(message)
    expect(others).toEqual([])
  })

  it('reports likely mistakes', () => {
    const { config, problems, mistakes } = readInput(
      configOf('99-x', fileWith('/x', 'y', { mode: 0o1777, owner: 'me' })),
    )
    expect({ mode: config.storage?.files?.[0]?.mode, problems }).toEqual({
      mode: 0o777,
      problems: [],
    })
    expect(mistakes).toEqual([
      {
        mistake: 'certain',
        message: 'spec.config.storage.files[0].owner is ignored: the spec has no such key here',
      },
      {
        mistake: 'likely',
        message:
          'spec.config.storage.files[0].mode has setuid, setgid or sticky bits (octal 1777), which are dropped: Ignition supports them from version 3.4.0',
      },
    ])
  })

  it('converts every version to one', () => {
    for (const version of ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0', '2.2.0']) {
      expect(readInput(configOf('x', ignition({}, version))).config.ignition.version).toBe('3.5.0')
    }
  })

  it('has the controller build that generated it', () => {
    const made = configOf('x')
    made.metadata.annotations = {
      'machineconfiguration.openshift.io/generated-by-controller-version': 'abc',
    }
    expect(readInput(made).generatedBy).toBe('abc')
    expect(readInput(configOf('x')).generatedBy).toBe('')
  })
})

it('an input has the owner that it is generated from', () => {
  const owner = (kind: string, controller = false): OwnerReference => ({
    apiVersion: 'x/v1',
    kind,
    name: 'a',
    uid: 'u',
    controller,
  })
  const made = (...ownerReferences: OwnerReference[]) => {
    const { metadata, spec } = configOf('99-x')
    return readInput({ metadata: { ...metadata, ownerReferences }, ...(spec && { spec }) }).madeFrom
  }
  expect(made(owner('Image'), owner('KubeletConfig', true))).toBe('KubeletConfig a')
  expect(made(owner('Image'))).toBe('Image a')
  expect(made()).toBeUndefined()
})
