import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseToml } from '@machinist/core/encoding/toml'
import type { ContainerRuntimeSettings } from '../../api/kinds/container-runtime-config.ts'
import type { ContainerRuntimeConfig } from '../../api/kinds/resources.ts'
import { fileIn } from '../generated/base-file.ts'
import { mergeRuntimeConfigs } from './merge.ts'
import { fieldsOf } from './settings.ts'

const storage = `# Where images are kept.
[storage]
driver = "overlay"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"

[storage.options]
pull_options = {enable_partial_images = "false"}
`
const crio = { runtime: 'crio', base: '00-worker', storage }

const object = (containerRuntimeConfig: ContainerRuntimeSettings): ContainerRuntimeConfig => ({
  metadata: { name: 'a' },
  spec: { containerRuntimeConfig },
})

/** The files by path. */
function files(...settings: ContainerRuntimeSettings[]): Record<string, string> {
  const settled = mergeRuntimeConfigs(settings.map(object), crio)
  if ('problem' in settled) throw new Error(settled.problem.message)
  const { config } = settled.spec as { config: { storage?: { files: { path: string }[] } } }
  const machineConfig = { metadata: { name: 'x' }, spec: settled.spec }
  return Object.fromEntries(
    (config.storage?.files ?? []).map(({ path }) => [path, fileIn(machineConfig, path)!]),
  )
}

describe('a ContainerRuntimeConfig', () => {
  it('results in one file for each CRI-O field', () => {
    expect(
      files({
        logLevel: 'debug',
        pidsLimit: 2048,
        logSizeMax: '10G',
        defaultRuntime: 'crun',
        additionalArtifactStores: [{ path: '/mnt/a' }, { path: '/mnt/b' }],
        containerGomaxprocsBehavior: 'Autosize',
      }),
    ).toEqual({
      '/etc/crio/crio.conf.d/01-ctrcfg-additionalArtifactStores':
        '[crio.runtime]\nadditional_artifact_stores = [ "/mnt/a", "/mnt/b" ]\n',
      '/etc/crio/crio.conf.d/01-ctrcfg-defaultRuntime':
        '[crio.runtime]\ndefault_runtime = "crun"\n',
      '/etc/crio/crio.conf.d/01-ctrcfg-logLevel': '[crio.runtime]\nlog_level = "debug"\n',
      '/etc/crio/crio.conf.d/01-ctrcfg-logSizeMax': '[crio.runtime]\nlog_size_max = 10000000000\n',
      '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit': '[crio.runtime]\npids_limit = 2048\n',
    })
  })

  it('writes zero and negative limits, but no log size of zero', () => {
    expect(files({ pidsLimit: 0, logSizeMax: '-1' })).toEqual({
      '/etc/crio/crio.conf.d/01-ctrcfg-logSizeMax': '[crio.runtime]\nlog_size_max = -1\n',
      '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit': '[crio.runtime]\npids_limit = 0\n',
    })
    expect(files({ logSizeMax: '0', overlaySize: '0', logLevel: '' })).toEqual({})
    expect(files({})).toEqual({})
  })

  it('adds the other fields to storage.conf and keeps its content', () => {
    const { '/etc/containers/storage.conf': text, ...rest } = files({
      overlaySize: '10G',
      additionalLayerStores: [{ path: '/var/lib/stargz' }],
      additionalImageStores: [{ path: '/mnt/a' }],
    })
    expect(rest).toEqual({})
    expect(parseToml(text!)).toEqual({
      storage: {
        driver: 'overlay',
        runroot: '/run/containers/storage',
        graphroot: '/var/lib/containers/storage',
        options: {
          pull_options: { enable_partial_images: 'false' },
          size: '10000000000',
          additionallayerstores: ['/var/lib/stargz:ref'],
          additionalimagestores: ['/mnt/a'],
        },
      },
    })
    const { storage: read } = parseToml(
      files({ overlaySize: '8Gi' })['/etc/containers/storage.conf']!,
    )
    expect((read as { options: unknown }).options).toHaveProperty('size', '8589934592')
  })

  it('overrides earlier objects per field', () => {
    expect(
      files({ logLevel: 'debug', pidsLimit: 100 }, { pidsLimit: 200 }, { logLevel: '' }),
    ).toEqual({
      '/etc/crio/crio.conf.d/01-ctrcfg-logLevel': '[crio.runtime]\nlog_level = "debug"\n',
      '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit': '[crio.runtime]\npids_limit = 200\n',
    })
    expect(files({ logSizeMax: '10G' }, { logSizeMax: '0' })).toEqual({})
  })

  it('reports that containerd ignores it', () => {
    expect(
      mergeRuntimeConfigs([object({ pidsLimit: 100 })], { ...crio, runtime: 'containerd' }),
    ).toEqual({
      problem: {
        reason: 'BadSettings',
        message:
          'nodes run containers with containerd, which ignores ContainerRuntimeConfigs; delete this object, or use CRI-O (annotation machinist.dev/container-runtime of ControllerConfig machine-config-controller)',
      },
    })
  })

  it('reports a missing or invalid base', () => {
    const overlay = [object({ overlaySize: '10G' })]
    expect(mergeRuntimeConfigs(overlay, { ...crio, storage: undefined })).toEqual({
      problem: {
        reason: 'NoBase',
        message:
          'MachineConfig 00-worker has no /etc/containers/storage.conf, which overlaySize and additional stores require; add the file to the templates',
      },
    })
    expect(mergeRuntimeConfigs(overlay, { ...crio, storage: 'x = ' })).toMatchObject({
      problem: {
        reason: 'NoBase',
        message: expect.stringContaining(
          '/etc/containers/storage.conf of MachineConfig 00-worker: not valid TOML',
        ),
      },
    })
    expect(
      'spec' in mergeRuntimeConfigs([object({ pidsLimit: 50 })], { ...crio, storage: 'x = ' }),
    ).toBe(true)
  })

  it('lists its fields with normalized sizes', () => {
    expect(Object.fromEntries(fieldsOf(object({ logSizeMax: '10G', logLevel: 'info' })))).toEqual({
      logSizeMax: '10000000000',
      logLevel: '"info"',
    })
    expect(fieldsOf(object({ logSizeMax: '10000M' }))).toEqual(
      fieldsOf(object({ logSizeMax: '10G' })),
    )
    expect(fieldsOf(object({ additionalImageStores: [{ path: '/a' }] }))).toEqual(
      new Map([['additionalImageStores', '["/a"]']]),
    )
    expect(fieldsOf(object({}))).toEqual(new Map())
  })

  const settings = fc.record(
    {
      logLevel: fc.constantFrom('', 'info', 'debug'),
      pidsLimit: fc.integer({ min: 20, max: 5000 }),
      logSizeMax: fc.constantFrom('0', '-1', '10k', '1Gi'),
      overlaySize: fc.constantFrom('0', '8G', '1Gi'),
      additionalImageStores: fc.subarray([{ path: '/a' }, { path: '/b' }], { minLength: 1 }),
    },
    { requiredKeys: [] },
  )

  it('results in the same files as one object with all settings', () => {
    fc.assert(
      fc.property(fc.array(settings, { minLength: 1, maxLength: 4 }), (all) => {
        const known = all.map(({ logLevel, ...rest }) => (logLevel ? { logLevel, ...rest } : rest))
        expect(files(...known)).toEqual(files(Object.assign({}, ...known)))
      }),
      { numRuns: 60 },
    )
  })
})
