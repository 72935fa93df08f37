import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeletConfig } from '../../api/resources.ts'
import type { PoolSettings } from '../node-settings/settings-kind.ts'
import { idleIn, problemsOf } from './problems.ts'

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
const problems = (spec: object, where = worker): string[] => problemsOf(object(spec), where)
const of = (kubeletConfig: unknown, where = worker): string[] => problems({ kubeletConfig }, where)

describe('a KubeletConfig', () => {
  it('may set what is its own', () => {
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
  ])('may not set %j', (fragment, field) => {
    expect(of(fragment)).toEqual([
      expect.stringContaining(`spec.kubeletConfig.${field}: is not allowed to be set: `),
    ])
  })

  it('may set these to nothing, as in the original', () => {
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
  it.each([-1, 11, 1.5])('may not have log level %s', (logLevel) => {
    expect(problems({ logLevel })).toEqual([`spec.logLevel: not valid [0,10]: ${logLevel}`])
  })

  it('may switch static pods off, but not for the control plane, and not move them', () => {
    const moved = { staticPodPath: '/some/path' }
    expect(of(moved)).toEqual([
      'spec.kubeletConfig.staticPodPath: must be empty for pool "worker", but is "/some/path"',
    ])
    expect(of({ staticPodPath: '' })).toEqual([])
    expect(of({ staticPodPath: null })).toEqual([])
    expect(of({ staticPodPath: '' }, pool('infra'))).toEqual([])
    for (const name of ['master', 'arbiter']) {
      const refused = [
        `spec.kubeletConfig.staticPodPath: is not allowed to be set for control plane pool "${name}": the control plane runs from it`,
      ]
      expect(of({ staticPodPath: '' }, pool(name, true))).toEqual(refused)
      expect(of(moved, pool(name, true))).toEqual(refused)
      expect(of({ maxPods: 1 }, pool(name, true))).toEqual([])
    }
  })

  it('lets the node choose what to reserve, or says it, but not both', () => {
    const kubeletConfig = { systemReserved: { memory: '2Gi' } }
    const both =
      'spec.autoSizingReserved and spec.kubeletConfig.systemReserved cannot be set together: leave out one'
    expect(problems({ kubeletConfig, autoSizingReserved: true })).toEqual([both])
    expect(problems({ kubeletConfig, autoSizingReserved: false })).toEqual([])
    expect(problems({ kubeletConfig: { systemReserved: {} }, autoSizingReserved: true })).toEqual(
      [],
    )
  })

  it('has a TLS profile that kubelets can use', () => {
    const custom = (ciphers: string[], minTLSVersion = 'VersionTLS12'): string[] =>
      problems({ tlsSecurityProfile: { type: 'Custom', custom: { ciphers, minTLSVersion } } })
    expect(custom(['ECDHE-RSA-AES128-GCM-SHA256'])).toEqual([])
    expect(custom(['ECDHE-RSA-AES128-GMC-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'])).toEqual([
      'spec.tlsSecurityProfile.custom.ciphers: "ECDHE-RSA-AES128-GMC-SHA256" is no cipher suite by OpenSSL\'s name',
    ])
  })

  it.each<[unknown]>([
    ['hunter2'],
    [['hunter2']],
    [{ Authorization: 'hunter2' }],
    [{ Authorization: [true, { hunter2: 1 }] }],
    [{ Authorization: { hunter2: 'hunter2' } }],
  ])('is never told what may be a credential: staticPodURLHeader %j', (staticPodURLHeader) => {
    const told = of({ staticPodURLHeader })
    expect(told).toEqual([expect.stringContaining('spec.kubeletConfig.staticPodURLHeader')])
    expect(told.join()).not.toContain('hunter2')
  })

  it('is told all that is wrong at once', () => {
    expect(
      problems({ logLevel: 11, kubeletConfig: { maxPods: 'abc', clusterDNS: ['a'] } }),
    ).toEqual([
      'spec.logLevel: not valid [0,10]: 11',
      'spec.kubeletConfig.maxPods: "abc" is no whole number',
      expect.stringMatching(/^spec\.kubeletConfig\.clusterDNS: /),
    ])
  })

  it('may have fields that nobody here knows if its owner says so', () => {
    const spec = { kubeletConfig: { brandNew: { a: 1 }, maxPods: 'abc' } }
    const allowed = object(spec, { 'machinist.dev/unknown-fields': 'allow' })
    expect(problemsOf(allowed, worker)).toEqual([
      'spec.kubeletConfig.maxPods: "abc" is no whole number',
    ])
    expect(problems(spec)).toHaveLength(2)
  })

  it.each<[unknown, string]>([
    ['maxPods: 1', 'spec.kubeletConfig: "maxPods: 1" is no object'],
    [[1], 'spec.kubeletConfig: a list is no object'],
    [
      JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`),
      'spec.kubeletConfig: is nested too deeply',
    ],
  ])('has to have an object there: %.20j', (kubeletConfig, problem) => {
    expect(of(kubeletConfig)).toEqual([problem])
  })

  it('is judged whatever it holds', () => {
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

it('a KubeletConfig says which of its fields nobody reads', () => {
  expect(idleIn(object({ kubeletConfig: { maxPods: 100 } }))).toEqual([])
  expect(idleIn(object({ systemGomaxprocsBehavior: null }))).toEqual([])
  const spec = { systemGomaxprocsBehavior: 'Autosize' }
  expect(problems(spec)).toEqual([])
  expect(idleIn(object(spec))).toEqual([
    'spec.systemGomaxprocsBehavior: "Autosize" is kept and changes nothing: kubelets and container runtimes are given no GOMAXPROCS, so Go chooses',
  ])
})
