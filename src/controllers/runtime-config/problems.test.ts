import { describe, expect, it } from 'vitest'
import type { ContainerRuntimeSettings } from '../../api/kinds/container-runtime-config.ts'
import { idleIn, problemsOf } from './problems.ts'

const problems = (containerRuntimeConfig: ContainerRuntimeSettings): string[] =>
  problemsOf({ metadata: { name: 'a' }, spec: { containerRuntimeConfig } })

describe('what is wrong with a ContainerRuntimeConfig', () => {
  it.each<ContainerRuntimeSettings>([
    {},
    { pidsLimit: 0 },
    { pidsLimit: 20 },
    { pidsLimit: 2048 },
    { logSizeMax: '10k' },
    { logSizeMax: '8193' },
    { logSizeMax: '0' },
    { logSizeMax: '-1' },
    { logSizeMax: 50_000_000 },
    { overlaySize: '0' },
    { overlaySize: '10G' },
    { overlaySize: '10Gi' },
    { logLevel: 'debug' },
    { logLevel: '' },
    { defaultRuntime: 'crun' },
    { defaultRuntime: 'runc' },
    { additionalLayerStores: [{ path: '/var/lib/stargz' }] },
    { additionalImageStores: [{ path: '/mnt/a' }, { path: '/mnt/b' }] },
    { containerGomaxprocsBehavior: 'Autosize' },
  ])('nothing: %j', (settings) => {
    expect(problems(settings)).toEqual([])
  })

  it('nothing where fields are null', () => {
    const fields = { pidsLimit: null, logSizeMax: null, additionalImageStores: null }
    expect(problems(fields as unknown as ContainerRuntimeSettings)).toEqual([])
  })

  it.each<[ContainerRuntimeSettings, string]>([
    [{ pidsLimit: 10 }, 'invalid pidsLimit 10: use 0 for no limit, or at least 20'],
    [{ pidsLimit: -10 }, 'invalid pidsLimit -10: use 0 for no limit, or at least 20'],
    [
      { logSizeMax: '3k' },
      'invalid logSizeMax 3k: has to be more than 8192 bytes, or negative for no limit',
    ],
    [
      { logSizeMax: '8Ki' },
      'invalid logSizeMax 8Ki: has to be more than 8192 bytes, or negative for no limit',
    ],
    [{ logSizeMax: 'much' }, 'invalid logSizeMax much: use an amount of bytes such as 50Mi or 10G'],
    [{ logSizeMax: '9.3E' }, 'invalid logSizeMax 9.3E: use an amount of bytes such as 50Mi or 10G'],
    [{ overlaySize: '-3G' }, 'invalid overlaySize -3G: must not be negative'],
    [{ overlaySize: '' }, 'invalid overlaySize "": use an amount of bytes such as 50Mi or 10G'],
    [
      { logLevel: 'invalid' },
      'invalid logLevel "invalid": use one of error, fatal, panic, warn, info, debug, trace',
    ],
    [
      { defaultRuntime: 'invalid' as 'crun' },
      'invalid defaultRuntime "invalid": use one of crun, runc',
    ],
    [
      { additionalLayerStores: [{ path: 'relative' }] },
      'invalid additionalLayerStores path "relative": has to be an absolute path of letters, digits, /, ., _ and -',
    ],
    [
      { additionalLayerStores: [{ path: '/a:ref' }] },
      'invalid additionalLayerStores path "/a:ref": has to be an absolute path of letters, digits, /, ., _ and -',
    ],
    [
      { additionalImageStores: [{ path: '/a//b' }] },
      'invalid additionalImageStores path "/a//b": must not hold //',
    ],
    [
      { additionalImageStores: [{ path: '/a' }, { path: '/b' }, { path: '/a' }] },
      'invalid additionalImageStores: "/a" is there more than once',
    ],
    [
      { additionalLayerStores: [1, 2, 3, 4, 5, 6].map((n) => ({ path: `/${n}` })) },
      'invalid additionalLayerStores: there are 6, and 5 is the most',
    ],
  ])('%j', (settings, problem) => {
    expect(problems(settings)).toEqual([problem])
  })

  it('all of it at once', () => {
    expect(
      problems({ pidsLimit: 1, logLevel: 'x', additionalArtifactStores: [{ path: '' }] }),
    ).toHaveLength(3)
    const long = `/${'a'.repeat(256)}`
    expect(problems({ additionalArtifactStores: [{ path: long }] })[0]).toContain(
      'has more than 256 characters',
    )
  })
})

it('a ContainerRuntimeConfig says which of its fields nobody reads', () => {
  const idle = (containerRuntimeConfig: ContainerRuntimeSettings): string[] =>
    idleIn({ metadata: { name: 'a' }, spec: { containerRuntimeConfig } })
  expect(idle({ pidsLimit: 2048 })).toEqual([])
  expect(idle({ containerGomaxprocsBehavior: 'Disabled' })).toEqual([
    'spec.containerRuntimeConfig.containerGomaxprocsBehavior: "Disabled" is kept and changes nothing: CRI-O is not told to give containers a GOMAXPROCS, which only their images and pods do',
  ])
})
