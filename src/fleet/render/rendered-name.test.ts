import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import { canonicalForm, renderedName, specDigest } from './rendered-name.ts'

const spec: MachineConfigSpec = {
  osImageURL: 'example.com/os',
  baseOSExtensionsContainerImage: '',
  kernelType: 'realtime',
  kernelArguments: ['z', 'a', 'z'],
  fips: true,
  extensions: ['usbguard'],
  config: {
    ignition: { version: '3.5.0' },
    systemd: { units: [{ name: 'x.service', enabled: false, dropins: [] }] },
    storage: {
      files: [
        { path: '/etc/b', contents: { source: 'data:,b' }, user: {} },
        { path: '/etc/a', overwrite: true, mode: 420, contents: { source: 'data:,a' } },
      ],
    },
    passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 B', 'ssh-ed25519 A'] }] },
  },
}

describe('the name of a rendered config', () => {
  // Another program computed these digests. They must never change: every node of every cluster would be updated.
  it('is the digest of a fixed form', () => {
    expect(canonicalForm(spec).join('')).toBe(
      '{"form":1,"spec":{"config":{"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["ssh-ed25519 B","ssh-ed25519 A"]}]},"storage":{"files":[{"contents":{"source":"data:,a"},"mode":420,"overwrite":true,"path":"/etc/a"},{"contents":{"source":"data:,b"},"path":"/etc/b"}]},"systemd":{"units":[{"enabled":false,"name":"x.service"}]}},"extensions":["usbguard"],"fips":true,"kernelArguments":["z","a","z"],"kernelType":"realtime","osImageURL":"example.com/os"}}',
    )
    expect(renderedName('worker', specDigest(spec))).toBe(
      'rendered-worker-815a5005c054f3f58ddc1a7d907a3e3a',
    )
  })

  it.each<[string, MachineConfigSpec]>([
    ['nothing', {}],
    ['all defaults', { osImageURL: '', fips: false, kernelArguments: [], kernelType: 'default' }],
    ['a version alone', { config: { ignition: { version: '3.6.0' }, storage: { files: [] } } }],
  ])('is the same for %s', (_, empty) => {
    expect(specDigest(empty)).toBe('33f16819ea313241ac51b1b809b8627a')
  })

  it.each<[string, MachineConfigSpec]>([
    ['the order of arguments', { ...spec, kernelArguments: ['a', 'z', 'z'] }],
    ['a repeated argument', { ...spec, kernelArguments: ['z', 'a'] }],
    ['FIPS', { ...spec, fips: false }],
    ['the kernel', { ...spec, kernelType: 'default' }],
    ['the image', { ...spec, osImageURL: 'example.com/os2' }],
    ['the files', { ...spec, config: { ignition: { version: '3.5.0' } } }],
  ])('differs with %s', (_, other) => {
    expect(specDigest(other)).not.toBe(specDigest(spec))
  })

  it('does not depend on the order of keys, files or units', () => {
    const shuffledKeys = (value: unknown, order: number): unknown => {
      if (Array.isArray(value)) return value.map((item) => shuffledKeys(item, order))
      if (typeof value !== 'object' || value === null) return value
      const entries = Object.entries(value).map(
        ([key, inner]) => [key, shuffledKeys(inner, order)] as const,
      )
      return Object.fromEntries(
        order % 2 === 0 ? entries.toReversed() : entries.toSorted(([a], [b]) => (a < b ? -1 : 1)),
      )
    }
    const file = fc.record({ path: fc.string(), mode: fc.nat(0o777) })
    const files = fc.uniqueArray(file, { selector: ({ path }) => path, maxLength: 8 })
    fc.assert(
      fc.property(files, fc.nat(9), (some, order) => {
        const of = (list: object[]): MachineConfigSpec => ({
          kernelArguments: ['a'],
          config: { storage: { files: list }, ignition: { version: '3.5.0' } },
        })
        const other = shuffledKeys(of(some.toReversed()), order) as MachineConfigSpec
        expect(specDigest(other)).toBe(specDigest(of(some)))
      }),
      { numRuns: 100 },
    )
  })

  it('treats keys of Object.prototype like others', () => {
    const odd = JSON.parse('{"config":{"__proto__":{"a":1}}}') as MachineConfigSpec
    expect(specDigest(odd)).not.toBe(specDigest({}))
  })
})
