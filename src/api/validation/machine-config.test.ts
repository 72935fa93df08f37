import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extensionPackages, supportedExtensions } from './extensions.ts'
import { kernelTypesOf, validateMachineConfig, validateMerged } from './machine-config.ts'

describe('the kernel type', () => {
  it.each(['', 'default', 'realtime', '64k-pages'])('may be %j', (kernelType) => {
    expect(validateMachineConfig({ kernelType })).toEqual([])
  })

  it('may be absent', () => {
    expect(validateMachineConfig({})).toEqual([])
    expect(validateMachineConfig(undefined)).toEqual([])
  })

  it('does not support 64k-pages in 4.12', () => {
    expect(kernelTypesOf('4.12')).toEqual(['default', 'realtime'])
    expect(validateMachineConfig({ kernelType: '64k-pages' }, '4.12')).toEqual([
      {
        path: 'spec.kernelType',
        message: 'kernelType=64k-pages is invalid: it must be one of default, realtime',
      },
    ])
  })

  it('is rejected if it is unknown', () => {
    expect(validateMachineConfig({ kernelType: 'turbo' })).toEqual([
      {
        path: 'spec.kernelType',
        message: 'kernelType=turbo is invalid: it must be one of default, realtime, 64k-pages',
      },
    ])
  })
})

describe('extensions', () => {
  it.each([
    ['4.12' as const, ['kerberos', 'kernel-devel', 'sandboxed-containers', 'usbguard']],
    [
      '4.16' as const,
      ['ipsec', 'kerberos', 'kernel-devel', 'sandboxed-containers', 'usbguard', 'wasm'],
    ],
    [
      'main' as const,
      [
        'ipsec',
        'kerberos',
        'kernel-devel',
        'sandboxed-containers',
        'sysstat',
        'two-node-ha',
        'usbguard',
      ],
    ],
  ])('of %s', (release, known) => {
    expect(supportedExtensions(release)).toEqual(known)
    expect(validateMachineConfig({ extensions: known }, release)).toEqual([])
  })

  it('resolve to packages', () => {
    expect(extensionPackages('kerberos')).toEqual(['krb5-workstation', 'libkadm5'])
    expect(extensionPackages('ipsec', '4.16')).toEqual(['NetworkManager-libreswan', 'libreswan'])
    expect(extensionPackages('ipsec')).toEqual([
      'NetworkManager-libreswan',
      'libreswan',
      'openvswitch3.5-ipsec',
    ])
    expect(extensionPackages('wasm')).toBeUndefined()
  })

  it('are checked without an Ignition config, and every unknown extension is listed', () => {
    expect(validateMachineConfig({ extensions: ['usbguard', 'foo', 'wasm'] })).toEqual([
      {
        path: 'spec.extensions',
        message:
          'invalid extensions found: foo, wasm; supported are ipsec, kerberos, kernel-devel, sandboxed-containers, sysstat, two-node-ha, usbguard',
      },
    ])
  })

  it('are not looked up on the object prototype', () => {
    expect(extensionPackages('constructor')).toBeUndefined()
    expect(extensionPackages('__proto__')).toBeUndefined()
  })
})

describe('a merged configuration', () => {
  it.each(['realtime', '64k-pages'])('cannot have kernel-devel with %s', (kernelType) => {
    expect(validateMerged({ kernelType, extensions: ['kernel-devel'] })).toEqual([
      {
        path: 'spec.extensions',
        message: `the extension kernel-devel needs the default kernel, but kernelType is ${kernelType}`,
      },
    ])
  })

  it('can have it with the default kernel', () => {
    expect(validateMerged({ kernelType: 'default', extensions: ['kernel-devel'] })).toEqual([])
    expect(validateMerged({ extensions: ['kernel-devel'] })).toEqual([])
    expect(validateMerged({ kernelType: 'realtime', extensions: ['usbguard'] })).toEqual([])
  })

  it('reports all problems at once', () => {
    const problems = validateMerged({ kernelType: 'turbo', extensions: ['foo', 'kernel-devel'] })
    expect(problems.map(({ path }) => path)).toEqual([
      'spec.kernelType',
      'spec.extensions',
      'spec.extensions',
    ])
  })

  it('lists every unknown extension', () => {
    const known = new Set(supportedExtensions())
    const unknown = fc.string({ minLength: 1 }).filter((name) => !known.has(name))
    fc.assert(
      fc.property(fc.array(unknown, { minLength: 1, maxLength: 4 }), (extensions) => {
        const [problem] = validateMachineConfig({ extensions })
        for (const name of extensions) expect(problem?.message).toContain(name)
      }),
      { numRuns: 100 },
    )
  })
})
