import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { fileWith, ignition, inputOf, noImages } from './render-inputs.fixture.ts'
import { mergeInputs } from './merge-inputs.ts'
import { inMergeOrder } from './merge-order.ts'
import type { RenderInput } from './read-input.ts'
import { readInput } from './read-input.ts'

const merged = (...inputs: RenderInput[]): ReturnType<typeof mergeInputs> =>
  mergeInputs(inputs, noImages)

describe('merging the MachineConfigs of a pool', () => {
  it('fills in every field', () => {
    const images = { osImageURL: 'newformatURL', baseOSExtensionsContainerImage: 'extensions' }
    expect(mergeInputs([inputOf('fips', { fips: true })], images)).toMatchObject({
      spec: {
        osImageURL: 'newformatURL',
        baseOSExtensionsContainerImage: 'extensions',
        kernelArguments: [],
        extensions: [],
        kernelType: 'default',
        fips: true,
        config: { ignition: { version: '3.5.0' } },
      },
      osImageOverridden: false,
    })
  })

  it('takes every field from the MachineConfig that sets it', () => {
    const core = (more: object): object => ({ passwd: { users: [{ name: 'core', ...more }] } })
    const { spec, sources, osImageOverridden } = merged(
      inputOf('extension', { extensions: ['usbguard'] }),
      inputOf('fips', { fips: true }),
      inputOf('kargs', { kernelArguments: ['testKarg', 'other'] }),
      inputOf('kerneltype', { kernelType: 'realtime' }),
      inputOf('osimageurl', { osImageURL: 'overriddenURL' }),
      inputOf('passwd', ignition(core({ passwordHash: 'testpass' }))),
      inputOf('ssh-1', ignition(core({ sshAuthorizedKeys: ['5678'] }))),
      inputOf('ssh-2', ignition(core({ sshAuthorizedKeys: ['1234'] }))),
      inputOf('v2', ignition({}, '2.2.0')),
    )
    expect(spec).toEqual({
      osImageURL: 'overriddenURL',
      baseOSExtensionsContainerImage: '',
      kernelArguments: ['testKarg', 'other'],
      kernelType: 'realtime',
      extensions: ['usbguard'],
      fips: true,
      config: {
        ignition: { version: '3.5.0' },
        passwd: {
          users: [{ name: 'core', passwordHash: 'testpass', sshAuthorizedKeys: ['5678', '1234'] }],
        },
      },
    })
    expect(osImageOverridden).toBe(true)
    expect(sources.provenance()).toEqual({
      extensions: { '': 'extension', usbguard: 'extension' },
      fips: { '': 'fips' },
      kernelArguments: { '': 'kargs', testKarg: 'kargs', other: 'kargs' },
      kernelType: { '': 'kerneltype' },
      osImage: { '': 'osimageurl' },
      passwordHash: { core: 'passwd' },
      sshKeys: { core: 'ssh-1, ssh-2' },
    })
  })

  it('does not inherit the compression of replaced contents', () => {
    const packed = `data:;base64,${gzipSync('old').toString('base64')}`
    const { spec } = merged(
      inputOf('aaa', fileWith('/etc/test1', 'old')),
      inputOf('bbb', fileWith('/etc/test1', 'new')),
      inputOf(
        'ddd',
        ignition({
          storage: {
            files: [{ path: '/etc/test2', contents: { source: packed, compression: 'gzip' } }],
          },
        }),
      ),
      inputOf('ccc', fileWith('/etc/test2', 'new')),
    )
    expect(spec.config.storage).toEqual({
      files: [
        { path: '/etc/test1', overwrite: true, contents: { source: 'data:,new' } },
        { path: '/etc/test2', overwrite: true, contents: { source: 'data:,new' } },
      ],
    })
  })

  it('does not inherit the compression of replaced contents with an empty compression', () => {
    const packed = `data:;base64,${gzipSync('foo\n').toString('base64')}`
    const file = (contents: object): MachineConfigSpec =>
      ignition({ storage: { files: [{ path: '/f', contents }] } })
    const { spec } = merged(
      inputOf('a', file({ source: packed, compression: 'gzip' })),
      inputOf('b', file({ source: 'data:,hello%20world', compression: '' })),
    )
    expect(spec.config.storage?.files).toEqual([
      { path: '/f', overwrite: true, contents: { source: 'data:,hello%20world' } },
    ])
  })

  it('lets the last name win in 4.12, regardless of the role', () => {
    const of = (name: string, role: string, path: string, text: string): MachineConfig => ({
      metadata: { name, labels: { 'machineconfiguration.openshift.io/role': role } },
      spec: fileWith(path, text),
    })
    const four = [
      of('ddd', 'worker', '/etc/test2', 'old'),
      of('aaa', 'worker', '/etc/test1', 'old'),
      of('ccc', 'infra', '/etc/test2', 'new'),
      of('bbb', 'worker', '/etc/test1', 'new'),
    ]
    const contents = (release: '4.12' | '4.16'): (string | undefined)[] => {
      const inputs = inMergeOrder(four, release).map((one) => readInput(one, release))
      const { files = [] } = mergeInputs(inputs, noImages, release).spec.config.storage ?? {}
      return files.map((file) => `${file.path} ${file.contents?.source}`)
    }
    expect(contents('4.16')).toEqual(['/etc/test1 data:,new', '/etc/test2 data:,new'])
    expect(contents('4.12')).toEqual(['/etc/test1 data:,new', '/etc/test2 data:,old'])
  })

  it('overwrites files unless overwrite is false', () => {
    const { spec } = merged(
      inputOf('a', fileWith('/a', '1')),
      inputOf('b', fileWith('/b', '1', { overwrite: false })),
    )
    expect(spec.config.storage?.files?.map(({ overwrite }) => overwrite)).toEqual([true, false])
  })

  it('concatenates arguments and extensions with repetitions, as newer releases do', () => {
    const inputs = [
      inputOf('a', { kernelArguments: ['x', 'y'], extensions: ['usbguard'] }),
      inputOf('b', { kernelArguments: ['x'], extensions: ['usbguard', 'kerberos'] }),
    ]
    const { spec, sources } = merged(...inputs)
    expect(spec.kernelArguments).toEqual(['x', 'y', 'x'])
    expect(spec.extensions).toEqual(['usbguard', 'usbguard', 'kerberos'])
    expect(sources.provenance().kernelArguments).toEqual({ '': 'a, b', x: 'a, b', y: 'a' })
    expect(mergeInputs(inputs, noImages, '4.12').spec.kernelArguments).toEqual(['x', 'y'])
  })

  it('takes the last kernel that is not the default', () => {
    const types = (...all: string[]): string =>
      merged(...all.map((kernelType, i) => inputOf(`${i}`, { kernelType }))).spec.kernelType
    expect(types('realtime', 'default')).toBe('realtime')
    expect(types('realtime', '64k-pages', '')).toBe('64k-pages')
    expect(types('default', '')).toBe('default')
  })

  it('takes the last image of a user', () => {
    const images = { osImageURL: 'release', baseOSExtensionsContainerImage: 'its extensions' }
    const generated = { ...inputOf('z', { osImageURL: 'old release' }), generatedBy: 'build' }
    const inputs = [
      inputOf('a', { osImageURL: 'dummy-change' }),
      inputOf('b', { osImageURL: 'dummy-change-2', baseOSExtensionsContainerImage: 'mine' }),
      generated,
    ]
    const { spec } = mergeInputs(inputs, images)
    expect(spec.osImageURL).toBe('dummy-change-2')
    expect(spec.baseOSExtensionsContainerImage).toBe('mine')
    expect(mergeInputs(inputs, images, '4.16').spec.osImageURL).toBe('old release')
    expect(mergeInputs([generated], images)).toMatchObject({
      spec: { osImageURL: 'release' },
      osImageOverridden: false,
    })
  })
})

describe('provenance', () => {
  it('names all sources of files, units and drop-ins', () => {
    const unit = (more: object): object => ({
      systemd: { units: [{ name: 'x.service', ...more }] },
    })
    const { sources } = merged(
      inputOf('a', fileWith('/etc/both', 'a', { mode: 0o600 })),
      inputOf('b', fileWith('/etc/both', 'b')),
      inputOf('c', fileWith('/etc/both', 'c')),
      inputOf(
        'd',
        ignition(
          unit({ contents: '[Unit]\n', dropins: [{ name: '10.conf', contents: '[Unit]\n' }] }),
        ),
      ),
      inputOf('e', ignition(unit({ enabled: false }))),
      inputOf('f', ignition({ storage: { files: [{ path: '/etc/only-path' }] } })),
    )
    expect(sources.provenance()).toEqual({
      file: { '/etc/both': 'a, c', '/etc/only-path': 'f' },
      unit: { 'x.service': 'd, e' },
      dropin: { 'x.service/10.conf': 'd' },
    })
    expect(sources.ofSection('systemd.units')).toEqual(['d', 'e'])
    expect(sources.ofSection('storage.disks')).toEqual([])
  })

  it('stays short with many sources', () => {
    const many = Array.from({ length: 20 }, (_, i) =>
      inputOf(`mc-${i}`, { kernelArguments: ['x'] }),
    )
    expect(merged(...many).sources.provenance().kernelArguments?.['x']).toBe(
      'mc-0, mc-1, mc-2, mc-3, mc-4, mc-5, mc-6, mc-7 and 12 more',
    )
  })
})
