import { describe, expect, it } from 'vitest'
import type { ContainerRuntimeSettings } from '../../api/kinds/container-runtime-config.ts'
import { ineffectiveFields, runtimeConfigProblems } from './problems.ts'

const problems = (containerRuntimeConfig: ContainerRuntimeSettings): string[] =>
  runtimeConfigProblems({ metadata: { name: 'a' }, spec: { containerRuntimeConfig } })

describe('problems of a ContainerRuntimeConfig', () => {
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
  ])('none: %j', (settings) => {
    expect(problems(settings)).toEqual([])
  })

  it('none if fields are null', () => {
    const fields = { pidsLimit: null, logSizeMax: null, additionalImageStores: null }
    expect(problems(fields as unknown as ContainerRuntimeSettings)).toEqual([])
  })

  it.each<[ContainerRuntimeSettings, string]>([
    [{ pidsLimit: 10 }, 'invalid pidsLimit 10: use 0 for no limit, or at least 20'],
    [{ pidsLimit: -10 }, 'invalid pidsLimit -10: use 0 for no limit, or at least 20'],
    [
      { logSizeMax: '3k' },
      'invalid logSizeMax 3k: use more than 8192 bytes, or a negative value for no limit',
    ],
    [
      { logSizeMax: '8Ki' },
      'invalid logSizeMax 8Ki: use more than 8192 bytes, or a negative value for no limit',
    ],
    [{ logSizeMax: 'much' }, 'invalid logSizeMax much: use a size in bytes such as 50Mi or 10G'],
    [{ logSizeMax: '9.3E' }, 'invalid logSizeMax 9.3E: use a size in bytes such as 50Mi or 10G'],
    [{ overlaySize: '-3G' }, 'invalid overlaySize -3G: use 0 or more bytes'],
    [{ overlaySize: '' }, 'invalid overlaySize "": use a size in bytes such as 50Mi or 10G'],
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
      'invalid additionalLayerStores path "relative": use an absolute path of letters, digits, /, ., _ and -',
    ],
    [
      { additionalLayerStores: [{ path: '/a:ref' }] },
      'invalid additionalLayerStores path "/a:ref": use an absolute path of letters, digits, /, ., _ and -',
    ],
    [
      { additionalImageStores: [{ path: '/a//b' }] },
      'invalid additionalImageStores path "/a//b": remove //',
    ],
    [
      { additionalImageStores: [{ path: '/a' }, { path: '/b' }, { path: '/a' }] },
      'invalid additionalImageStores: "/a" is listed more than once',
    ],
    [
      { additionalLayerStores: [1, 2, 3, 4, 5, 6].map((n) => ({ path: `/${n}` })) },
      'invalid additionalLayerStores: 6 entries exceed the maximum of 5',
    ],
  ])('%j', (settings, problem) => {
    expect(problems(settings)).toEqual([problem])
  })

  it('all problems at once', () => {
    expect(
      problems({ pidsLimit: 1, logLevel: 'x', additionalArtifactStores: [{ path: '' }] }),
    ).toHaveLength(3)
    const long = `/${'a'.repeat(256)}`
    expect(problems({ additionalArtifactStores: [{ path: long }] })[0]).toContain(
      'use at most 256 characters',
    )
  })
})

it('fields of a ContainerRuntimeConfig without effect are listed', () => {
  const idle = (containerRuntimeConfig: ContainerRuntimeSettings): string[] =>
    ineffectiveFields({ metadata: { name: 'a' }, spec: { containerRuntimeConfig } })
  expect(idle({ pidsLimit: 2048 })).toEqual([])
  expect(idle({ containerGomaxprocsBehavior: 'Disabled' })).toEqual([
    'spec.containerRuntimeConfig.containerGomaxprocsBehavior: "Disabled" has no effect: Machinist does not configure CRI-O to set GOMAXPROCS in containers; remove the field, and set GOMAXPROCS in images or pods',
  ])
})
