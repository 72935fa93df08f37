import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContainerRuntimeSettings } from '../../api/kinds/container-runtime-config.ts'
import type { ContainerRuntimeConfig } from '../../api/resources.ts'
import { parseToml } from '@machinist/core/toml'
import { fileIn } from '../generated/base-file.ts'
import { settle } from './runtime-config.ts'
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

/** The files by their paths. */
function files(...settings: ContainerRuntimeSettings[]): Record<string, string> {
  const settled = settle(settings.map(object), crio)
  if ('problem' in settled) throw new Error(settled.problem.message)
  const { config } = settled.spec as { config: { storage?: { files: { path: string }[] } } }
  const machineConfig = { metadata: { name: 'x' }, spec: settled.spec }
  return Object.fromEntries(
    (config.storage?.files ?? []).map(({ path }) => [path, fileIn(machineConfig, path)!]),
  )
}

describe('a ContainerRuntimeConfig', () => {
  it('comes to one file for each field of CRI-O', () => {
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

  it('writes limits of nothing and of everything, but no log size of zero', () => {
    expect(files({ pidsLimit: 0, logSizeMax: '-1' })).toEqual({
      '/etc/crio/crio.conf.d/01-ctrcfg-logSizeMax': '[crio.runtime]\nlog_size_max = -1\n',
      '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit': '[crio.runtime]\npids_limit = 0\n',
    })
    expect(files({ logSizeMax: '0', overlaySize: '0', logLevel: '' })).toEqual({})
    expect(files({})).toEqual({})
  })

  it('puts the rest into storage.conf, and leaves there what it finds', () => {
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

  it('is laid over those before it, field by field', () => {
    expect(
      files({ logLevel: 'debug', pidsLimit: 100 }, { pidsLimit: 200 }, { logLevel: '' }),
    ).toEqual({
      '/etc/crio/crio.conf.d/01-ctrcfg-logLevel': '[crio.runtime]\nlog_level = "debug"\n',
      '/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit': '[crio.runtime]\npids_limit = 200\n',
    })
    expect(files({ logSizeMax: '10G' }, { logSizeMax: '0' })).toEqual({})
  })

  it('says that containerd reads nothing of it', () => {
    expect(settle([object({ pidsLimit: 100 })], { ...crio, runtime: 'containerd' })).toEqual({
      problem: {
        reason: 'BadSettings',
        message:
          'the containers of these nodes are run by containerd, which reads none of these settings; delete this object, or have CRI-O run them (annotation machinist.dev/container-runtime of ControllerConfig machine-config-controller)',
      },
    })
  })

  it('says what is missing or broken in the base', () => {
    const overlay = [object({ overlaySize: '10G' })]
    expect(settle(overlay, { ...crio, storage: undefined })).toEqual({
      problem: {
        reason: 'NoBase',
        message:
          'MachineConfig 00-worker has no /etc/containers/storage.conf, into which overlaySize and additional stores go; let the templates make one',
      },
    })
    expect(settle(overlay, { ...crio, storage: 'x = ' })).toMatchObject({
      problem: {
        reason: 'NoBase',
        message: expect.stringContaining(
          '/etc/containers/storage.conf of MachineConfig 00-worker: not valid TOML',
        ),
      },
    })
    expect('spec' in settle([object({ pidsLimit: 50 })], { ...crio, storage: 'x = ' })).toBe(true)
  })

  it('tells its fields, the same amount always in the same words', () => {
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

  it('comes to the same together as in one object that says it all', () => {
    fc.assert(
      fc.property(fc.array(settings, { minLength: 1, maxLength: 4 }), (all) => {
        const known = all.map(({ logLevel, ...rest }) => (logLevel ? { logLevel, ...rest } : rest))
        expect(files(...known)).toEqual(files(Object.assign({}, ...known)))
      }),
      { numRuns: 60 },
    )
  })
})
