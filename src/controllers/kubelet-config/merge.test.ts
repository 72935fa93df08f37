import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { Config } from '@machinist/ignition/spec/config'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { unsetSizing } from './node-sizing.ts'
import { applyKubeletConfig, mergeKubeletConfigs, withReservedCpus } from './merge.ts'

const conf = '/etc/kubernetes/kubelet.conf'
const sizing = '/etc/node-sizing-enabled.env'
const logging = '/etc/systemd/system/kubelet.service.d/20-logging.conf'

const object = (spec: object): KubeletConfig => ({
  metadata: { name: 'set' },
  spec,
})
const setting = (kubeletConfig: object): KubeletConfig => object({ kubeletConfig })

function filesOf(
  objects: readonly KubeletConfig[],
  base: KubeletConf = {},
): Record<string, string> {
  const settlement = mergeKubeletConfigs(objects, base)
  if ('problem' in settlement) throw new Error(settlement.problem.message)
  const { storage } = settlement.spec.config as Config
  return Object.fromEntries(
    storage!.files!.map(({ path, contents }) => {
      const { bytes } = decodeDataUrl(contents!.source!)
      return [path, Buffer.from(bytes).toString()]
    }),
  )
}
const confOf = (objects: readonly KubeletConfig[], base?: KubeletConf): Record<string, unknown> => {
  const { apiVersion, kind, ...rest } = parseYaml(filesOf(objects, base)[conf]!, conf) as Record<
    string,
    unknown
  >
  expect([apiVersion, kind]).toEqual(['kubelet.config.k8s.io/v1beta1', 'KubeletConfiguration'])
  return rest
}
const settled = (fragment: object, base?: KubeletConf): Record<string, unknown> =>
  confOf([setting(fragment)], base)
const problemOf = (objects: readonly KubeletConfig[], base: KubeletConf = {}): string => {
  const settlement = mergeKubeletConfigs(objects, base)
  return 'problem' in settlement ? settlement.problem.message : ''
}

describe('merging KubeletConfigs', () => {
  it('results in files with deterministic content', () => {
    const base = {
      maxPods: 110,
      authentication: { x509: { clientCAFile: '/ca' }, anonymous: { enabled: false } },
    }
    expect(
      mergeKubeletConfigs([object({ logLevel: 4, kubeletConfig: { maxPods: 100 } })], base),
    ).toEqual({
      spec: {
        config: {
          ignition: { version: '3.2.0' },
          storage: {
            files: [conf, logging].map((path) => ({
              path,
              mode: 0o644,
              overwrite: true,
              contents: { source: expect.stringMatching(/^data:,/) },
            })),
          },
        },
      },
    })
    expect(filesOf([object({ logLevel: 4, kubeletConfig: { maxPods: 100 } })], base)).toEqual({
      [conf]: [
        'apiVersion: kubelet.config.k8s.io/v1beta1',
        'authentication:',
        '  anonymous:',
        '    enabled: false',
        '  x509:',
        '    clientCAFile: /ca',
        'kind: KubeletConfiguration',
        'maxPods: 100',
        '',
      ].join('\n'),
      [logging]: '[Service]\nEnvironment="KUBELET_LOG_LEVEL=4"\n',
    })
  })

  it('supports log level zero', () => {
    expect(filesOf([object({ logLevel: 0 })])[logging]).toContain('KUBELET_LOG_LEVEL=0')
    expect(filesOf([object({ logLevel: 5 }), object({})])[logging]).toContain('KUBELET_LOG_LEVEL=5')
    expect(filesOf([object({})])).not.toHaveProperty([logging])
  })

  it('changes exactly the fields that are set, also to false, zero and empty values', () => {
    const base = {
      protectKernelDefaults: true,
      maxPods: 250,
      resolvConf: '/x',
      serializeImagePulls: true,
    }
    expect(settled({ protectKernelDefaults: false, maxPods: 0, resolvConf: '' }, base)).toEqual({
      protectKernelDefaults: false,
      maxPods: 0,
      resolvConf: '',
      serializeImagePulls: true,
    })
  })

  it('merges maps, replaces lists, and removes fields that are null', () => {
    const base = {
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
      allowedUnsafeSysctls: ['a', 'b'],
      podPidsLimit: 4096,
    }
    const fragment = {
      evictionHard: { 'memory.available': '5%', 'nodefs.available': null, 'pid.available': '1%' },
      allowedUnsafeSysctls: ['c'],
      podPidsLimit: null,
    }
    expect(settled(fragment, base)).toEqual({
      evictionHard: { 'memory.available': '5%', 'pid.available': '1%' },
      allowedUnsafeSysctls: ['c'],
    })
  })

  it('ignores fields that the cluster sets, even if they are empty', () => {
    const base = { cgroupDriver: 'systemd', clusterDNS: ['10.0.0.10'], featureGates: { A: true } }
    const nothing = { cgroupDriver: '', clusterDNS: [], featureGates: {}, clusterDomain: '' }
    expect(settled({ ...nothing, apiVersion: 'x', kind: 'y' }, base)).toEqual(base)
  })

  it('lets later objects win', () => {
    const chain = [setting({ maxPods: 100, podsPerCore: 10 }), setting({ maxPods: 200 })]
    expect(confOf(chain)).toEqual({ maxPods: 200, podsPerCore: 10 })
    expect(confOf(chain.toReversed())).toEqual({ maxPods: 100, podsPerCore: 10 })
  })

  it('writes reserved resources to the sizing file', () => {
    const files = filesOf([setting({ systemReserved: { memory: '2Gi', pid: '100' }, maxPods: 1 })])
    expect(files[sizing]).toBe(
      'NODE_SIZING_ENABLED=false\nSYSTEM_RESERVED_MEMORY=2Gi\nSYSTEM_RESERVED_CPU=500m\nSYSTEM_RESERVED_ES=1Gi\nSYSTEM_RESERVED_PID=100\n',
    )
    expect(parseYaml(files[conf]!, conf)).toMatchObject({
      systemReserved: { pid: '100' },
      maxPods: 1,
    })
    expect(filesOf([object({ autoSizingReserved: true })])[sizing]).toMatch(
      /^NODE_SIZING_ENABLED=true\n/,
    )
    expect(filesOf([setting({ maxPods: 1 })])).not.toHaveProperty([sizing])
  })
})

describe('reservedSystemCPUs', () => {
  const base = {
    systemReservedCgroup: '/system.slice',
    enforceNodeAllocatable: ['pods', 'system-reserved-compressible'],
  }

  it('removes system-reserved from enforceNodeAllocatable', () => {
    expect(settled({ reservedSystemCPUs: '0-1' }, base)).toEqual({
      reservedSystemCPUs: '0-1',
      enforceNodeAllocatable: ['pods'],
    })
  })

  it.each([
    [
      ['pods', 'kube-reserved'],
      ['pods', 'kube-reserved'],
    ],
    [
      ['kube-reserved', 'system-reserved'],
      ['pods', 'kube-reserved'],
    ],
    [['none'], ['none']],
    [[], ['pods']],
  ])('keeps the other entries, with pods: %j', (enforceNodeAllocatable, left) => {
    const given = { ...base, enforceNodeAllocatable, reservedSystemCPUs: '0-1' }
    expect(withReservedCpus(given)).toEqual({
      reservedSystemCPUs: '0-1',
      enforceNodeAllocatable: left,
    })
  })

  it('rejects combinations that MCO accepts', () => {
    const listed = { ...base, enforceNodeAllocatable: ['pods', 'kube-reserved'] }
    expect(problemOf([setting({ reservedSystemCPUs: '0-1' })], listed)).toBe(
      'kubelets would not start: enforceNodeAllocatable: kube-reserved requires kubeReservedCgroup; correct these fields',
    )
  })

  it('changes nothing if not set', () => {
    expect(settled({ reservedSystemCPUs: '' }, base)).toEqual({ ...base, reservedSystemCPUs: '' })
  })

  it('always enforces pods first', () => {
    expect(settled({ reservedSystemCPUs: '0' }, {})).toEqual({
      reservedSystemCPUs: '0',
      enforceNodeAllocatable: ['pods'],
    })
  })

  it('replaces earlier values', () => {
    const before = { ...base, maxPods: 110, reservedSystemCPUs: '0-1' }
    expect(settled({ maxPods: 250, reservedSystemCPUs: '0-3' }, before)).toEqual({
      maxPods: 250,
      reservedSystemCPUs: '0-3',
      enforceNodeAllocatable: ['pods'],
    })
  })

  it('is not required to drop the system cgroup', () => {
    const fragment = { systemReservedCgroup: '', enforceNodeAllocatable: ['pods'] }
    expect(settled(fragment, base)).toEqual({ enforceNodeAllocatable: ['pods'] })
    expect(settled({ enforceNodeAllocatable: ['pods'] }, base)).toEqual({
      enforceNodeAllocatable: ['pods'],
    })
  })

  it('keeps the cgroup if the object sets it', () => {
    const fragment = { systemReservedCgroup: '/mine', enforceNodeAllocatable: ['pods'] }
    expect(settled(fragment, base)).toEqual(fragment)
    const both = { enforceNodeAllocatable: ['pods', 'system-reserved'] }
    expect(settled(both, base)).toEqual({ ...base, ...both })
  })

  it('is independent of other fields', () => {
    expect(settled({ maxPods: 200 }, base)).toEqual({ ...base, maxPods: 200 })
  })
})

it('cgroups that do not match are rejected after the merge', () => {
  const base = { systemReservedCgroup: '/system.slice', cgroupRoot: '/' }
  expect(problemOf([setting({ systemCgroups: '/foo.slice' })], base)).toBe(
    'kubelets would not start: systemReservedCgroup ("/system.slice") must match systemCgroups ("/foo.slice"); correct these fields',
  )
})

describe('TLS', () => {
  const base = {
    tlsMinVersion: 'VersionTLS12',
    tlsCipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
  }
  const profile = (type: string, more: object = {}): KubeletConfig =>
    object({ tlsSecurityProfile: { type, ...more } })

  it('is that of the object, or else that of the base', () => {
    expect(confOf([object({})], base)).toEqual(base)
    expect(confOf([profile('Modern')], base)).toEqual({
      tlsMinVersion: 'VersionTLS13',
      tlsCipherSuites: [
        'TLS_AES_128_GCM_SHA256',
        'TLS_AES_256_GCM_SHA384',
        'TLS_CHACHA20_POLY1305_SHA256',
      ],
    })
    expect(confOf([profile('Old'), profile('Modern')])).toMatchObject({
      tlsMinVersion: 'VersionTLS13',
    })
  })

  it('is overridden by fields of the same object', () => {
    const both = object({
      tlsSecurityProfile: { type: 'Intermediate' },
      kubeletConfig: { tlsMinVersion: 'VersionTLS13' },
    })
    expect(confOf([both], base)).toMatchObject({ tlsMinVersion: 'VersionTLS13' })
  })
})

/** Fields that are independent of others. */
const value = fc.oneof(fc.boolean(), fc.integer(), fc.string({ maxLength: 5 }))
const part: fc.Arbitrary<Record<string, unknown>> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '__proto__'),
  fc.oneof(
    value,
    fc.constant(null),
    fc.array(value, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), fc.oneof(value, fc.constant(null))),
  ),
)
/** The reference implementation: the last object that sets a field. */
function winner(before: unknown, later: unknown): unknown {
  if (later === null) return undefined
  if (!isObject(later)) return later
  const members = new Map(isObject(before) ? Object.entries(before) : [])
  for (const [key, member] of Object.entries(later)) {
    members.delete(key)
    if (member !== null) members.set(key, member)
  }
  return Object.fromEntries(members)
}
const own = (from: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(from, key) ? from[key] : undefined

describe('applying objects', () => {
  const laid = (...parts: readonly object[]): Record<string, unknown> => {
    const begin = { conf: {}, sizing: unsetSizing, logLevel: undefined }
    return parts.map(setting).reduce(applyKubeletConfig, begin).conf
  }

  it('is idempotent', () => {
    fc.assert(
      fc.property(part, part, (a, b) => {
        expect(laid(a, b, b)).toEqual(laid(a, b))
      }),
    )
  })

  it('changes exactly the fields of the later object', () => {
    fc.assert(
      fc.property(part, part, (a, b) => {
        const [both, first] = [laid(a, b), laid(a)]
        for (const key of ['a', 'b', 'c', '__proto__']) {
          const expected = Object.hasOwn(b, key) ? winner(own(first, key), b[key]) : own(first, key)
          expect(own(both, key)).toEqual(expected)
        }
      }),
    )
  })

  it('is associative', () => {
    fc.assert(
      fc.property(part, part, part, (a, b, c) => {
        const begun = { conf: laid(a, b), sizing: unsetSizing, logLevel: undefined }
        expect(applyKubeletConfig(begun, setting(c)).conf).toEqual(laid(a, b, c))
      }),
    )
  })

  it('mutates neither the base nor the object', () => {
    fc.assert(
      fc.property(part, part, (a, b) => {
        const before = JSON.stringify([a, b])
        laid(a, b)
        expect(JSON.stringify([a, b])).toBe(before)
        expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
      }),
    )
  })

  it('results in the same bytes for any order of keys', () => {
    const turned = (from: object): object => Object.fromEntries(Object.entries(from).toReversed())
    fc.assert(
      fc.property(part, part, (a, b) => {
        expect(filesOf([setting(turned(a)), setting(turned(b))])[conf]).toBe(
          filesOf([setting(a), setting(b)])[conf],
        )
      }),
      { numRuns: 50 },
    )
  })
})
