import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import { ineffectiveFields, kubeletConfigProblems } from './problems.ts'

function pool(name: string, isControlPlane = false): PoolSettings {
  return {
    name,
    role: isControlPlane ? name : 'worker',
    isControlPlane,
    pool: { metadata: { name }, spec: {} },
  }
}
const worker = pool('worker')
const object = (spec: object, annotations?: Record<string, string>): KubeletConfig => ({
  metadata: { name: 'set', ...(annotations && { annotations }) },
  spec,
})
const problems = (spec: object, where = worker): string[] =>
  kubeletConfigProblems(object(spec), where)
const of = (kubeletConfig: unknown, where = worker): string[] => problems({ kubeletConfig }, where)

describe('a KubeletConfig', () => {
  it('may set kubelet fields', () => {
    expect(of({ maxPods: 100 })).toEqual([])
    expect(problems({})).toEqual([])
    expect(of(null)).toEqual([])
  })

  it.each<[object, string]>([
    [{ cgroupDriver: 'cgroupfs' }, 'cgroupDriver'],
    [{ clusterDNS: ['1.2.3.4'] }, 'clusterDNS'],
    [{ clusterDomain: 'some.com' }, 'clusterDomain'],
    [{ featureGates: { SomeGate: false } }, 'featureGates'],
    [{ failSwapOn: true }, 'failSwapOn'],
    [{ failSwapOn: false }, 'failSwapOn'],
    [{ memorySwap: { swapBehavior: 'LimitedSwap' } }, 'memorySwap.swapBehavior'],
  ])('must not set %j', (fragment, field) => {
    expect(of(fragment)).toEqual([
      expect.stringContaining(`spec.kubeletConfig.${field}: must not be set: `),
    ])
  })

  it('may set these to empty values, as in MCO', () => {
    const nothing = {
      cgroupDriver: '',
      clusterDNS: [],
      clusterDomain: '',
      featureGates: {},
      failSwapOn: null,
    }
    expect(of({ ...nothing, memorySwap: { swapBehavior: '' } })).toEqual([])
  })

  it.each([undefined, null, 0, 2, 10])('may have log level %s', (logLevel) => {
    expect(problems({ logLevel })).toEqual([])
  })
  it.each([-1, 11, 1.5])('must not have log level %s', (logLevel) => {
    expect(problems({ logLevel })).toEqual([
      `spec.logLevel: ${logLevel} is not an integer from 0 to 10`,
    ])
  })

  it('may disable static pods, except in the control plane, and must not move them', () => {
    const moved = { staticPodPath: '/some/path' }
    expect(of(moved)).toEqual([
      'spec.kubeletConfig.staticPodPath: "/some/path" is not supported for pool "worker"; use "" to disable static pods, or remove it',
    ])
    expect(of({ staticPodPath: '' })).toEqual([])
    expect(of({ staticPodPath: null })).toEqual([])
    expect(of({ staticPodPath: '' }, pool('infra'))).toEqual([])
    for (const name of ['master', 'arbiter']) {
      const refused = [
        `spec.kubeletConfig.staticPodPath: must not be set for control plane pool "${name}": the control plane runs as static pods; remove it`,
      ]
      expect(of({ staticPodPath: '' }, pool(name, true))).toEqual(refused)
      expect(of(moved, pool(name, true))).toEqual(refused)
      expect(of({ maxPods: 1 }, pool(name, true))).toEqual([])
    }
  })

  it('sets reserved resources or automatic sizing, but not both', () => {
    const kubeletConfig = { systemReserved: { memory: '2Gi' } }
    const both =
      'spec.autoSizingReserved and spec.kubeletConfig.systemReserved are mutually exclusive; remove one'
    expect(problems({ kubeletConfig, autoSizingReserved: true })).toEqual([both])
    expect(problems({ kubeletConfig, autoSizingReserved: false })).toEqual([])
    expect(problems({ kubeletConfig: { systemReserved: {} }, autoSizingReserved: true })).toEqual(
      [],
    )
  })

  it('must have a valid TLS profile', () => {
    const custom = (ciphers: string[], minTLSVersion = 'VersionTLS12'): string[] =>
      problems({ tlsSecurityProfile: { type: 'Custom', custom: { ciphers, minTLSVersion } } })
    expect(custom(['ECDHE-RSA-AES128-GCM-SHA256'])).toEqual([])
    expect(custom(['ECDHE-RSA-AES128-GMC-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'])).toEqual([
      'spec.tlsSecurityProfile.custom.ciphers: "ECDHE-RSA-AES128-GMC-SHA256" is not an OpenSSL cipher suite name',
    ])
  })

  it.each<[unknown]>([
    ['hunter2'],
    [['hunter2']],
    [{ Authorization: 'hunter2' }],
    [{ Authorization: [true, { hunter2: 1 }] }],
    [{ Authorization: { hunter2: 'hunter2' } }],
  ])('is reported without possible credentials: staticPodURLHeader %j', (staticPodURLHeader) => {
    const reported = of({ staticPodURLHeader })
    expect(reported).toEqual([expect.stringContaining('spec.kubeletConfig.staticPodURLHeader')])
    expect(reported.join()).not.toContain('hunter2')
  })

  it('is reported with all problems at once', () => {
    expect(
      problems({ logLevel: 11, kubeletConfig: { maxPods: 'abc', clusterDNS: ['a'] } }),
    ).toEqual([
      'spec.logLevel: 11 is not an integer from 0 to 10',
      'spec.kubeletConfig.maxPods: "abc" is not an integer',
      expect.stringMatching(/^spec\.kubeletConfig\.clusterDNS: /),
    ])
  })

  it('may have unknown fields with the annotation', () => {
    const spec = { kubeletConfig: { brandNew: { a: 1 }, maxPods: 'abc' } }
    const allowed = object(spec, { 'machinist.dev/unknown-fields': 'allow' })
    expect(kubeletConfigProblems(allowed, worker)).toEqual([
      'spec.kubeletConfig.maxPods: "abc" is not an integer',
    ])
    expect(problems(spec)).toHaveLength(2)
  })

  it.each<[unknown, string]>([
    ['maxPods: 1', 'spec.kubeletConfig: "maxPods: 1" is not an object'],
    [[1], 'spec.kubeletConfig: a list is not an object'],
    [
      JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`),
      'spec.kubeletConfig: nested too deeply',
    ],
  ])('must have an object as kubeletConfig: %.20j', (kubeletConfig, problem) => {
    expect(of(kubeletConfig)).toEqual([problem])
  })

  it('is checked without exceptions for any value', () => {
    const spec = fc.record(
      {
        kubeletConfig: fc.jsonValue({ maxDepth: 3 }),
        logLevel: fc.jsonValue({ maxDepth: 1 }),
        autoSizingReserved: fc.jsonValue({ maxDepth: 1 }),
        tlsSecurityProfile: fc.record(
          { type: fc.jsonValue({ maxDepth: 1 }), custom: fc.jsonValue({ maxDepth: 2 }) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(spec, (given) => {
        for (const problem of problems(given)) expect(problem).toMatch(/^spec\./)
      }),
      { numRuns: 300 },
    )
  })
})

it('fields of a KubeletConfig without effect are listed', () => {
  expect(ineffectiveFields(object({ kubeletConfig: { maxPods: 100 } }))).toEqual([])
  expect(ineffectiveFields(object({ systemGomaxprocsBehavior: null }))).toEqual([])
  const spec = { systemGomaxprocsBehavior: 'Autosize' }
  expect(problems(spec)).toEqual([])
  expect(ineffectiveFields(object(spec))).toEqual([
    'spec.systemGomaxprocsBehavior: "Autosize" has no effect: Machinist does not set GOMAXPROCS for kubelets and container runtimes, so the default of Go applies; remove the field',
  ])
})
