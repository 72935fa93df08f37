import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeDataUrl } from '@machinist/core/encoding/data-url'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { Config } from '@machinist/ignition/spec/config'
import type { APIServer, FeatureGate, NodeConfig } from '../../api/openshift-config.ts'
import { layersOf } from './layers.ts'
import type { RoleFacts, StoredLayer } from './role-defaults.ts'
import { kubeletDefaults } from './role-defaults.ts'

const cluster = { name: 'cluster' }
const node = (spec: NodeConfig['spec'] = {}): NodeConfig => ({ metadata: cluster, spec })
const gates = (enabled: string[], disabled: string[] = []): FeatureGate => ({
  metadata: cluster,
  spec: { featureSet: 'CustomNoUpgrade', customNoUpgrade: { enabled, disabled } },
})
const tls = (tlsSecurityProfile: object | null): APIServer => ({
  metadata: cluster,
  spec: { tlsSecurityProfile },
})
const facts = (more: Partial<RoleFacts> = {}): RoleFacts => ({
  role: 'worker',
  base: { maxPods: 250, tlsMinVersion: 'VersionTLS12' },
  stored: {},
  ...more,
})
const layer = (conf?: object, kernelArguments: string[] = []): StoredLayer => ({
  conf: conf as StoredLayer['conf'],
  kernelArguments,
})
const v2 = ['systemd.unified_cgroup_hierarchy=1', 'cgroup_no_v1="all"']

interface Said {
  kernelArguments?: string[]
  conf?: unknown
}
/** The content of the two MachineConfigs. */
function layers(given: Partial<RoleFacts>, isBuiltIn = true): { node?: Said; features?: Said } {
  const made = layersOf(kubeletDefaults(facts(given)), isBuiltIn)
  return Object.fromEntries(
    Object.entries(made).map(([name, { config, ...rest }]) => {
      const [file] = (config as Config).storage?.files ?? []
      if (!file) return [name, rest]
      const text = Buffer.from(decodeDataUrl(file.contents!.source!).bytes).toString()
      const {
        apiVersion: _,
        kind: __,
        ...conf
      } = parseYaml(text, file.path) as Record<string, unknown>
      return [name, { ...rest, conf }]
    }),
  )
}

describe('a cluster without kubelet settings', () => {
  it.each<[string, Partial<RoleFacts>]>([
    ['it does not serve the kinds', {}],
    ['it has no feature gates', { featureGate: gates([]) }],
    ['it has no TLS profile', { apiServer: tls(null) }],
  ])('gets no MachineConfigs: %s', (_, given) => {
    expect(layers(given)).toEqual({})
    expect(kubeletDefaults(facts(given))).toMatchObject({ problems: [], features: facts().base })
  })
})

describe('config Node', () => {
  it('sets cgroup v2 on nodes of built-in pools', () => {
    expect(layers({ node: node() })).toEqual({ node: { kernelArguments: v2 } })
    expect(layers({ node: node() }, false)).toEqual({})
    expect(layers({ node: node({ cgroupMode: 'v2' }), role: 'master' })).toEqual({
      node: { kernelArguments: v2 },
    })
  })

  it.each([
    ['Default', '10s'],
    ['MediumUpdateAverageReaction', '20s'],
    ['LowUpdateSlowReaction', '1m0s'],
  ])(
    'sets nodeStatusUpdateFrequency of workers: %s',
    (workerLatencyProfile, nodeStatusUpdateFrequency) => {
      const given = { node: node({ workerLatencyProfile }) }
      expect(layers(given)).toEqual({
        node: { kernelArguments: v2, conf: { ...facts().base, nodeStatusUpdateFrequency } },
      })
      expect(layers({ ...given, role: 'master' })).toEqual({ node: { kernelArguments: v2 } })
      expect(layers(given, false)).toMatchObject({ node: { conf: { nodeStatusUpdateFrequency } } })
    },
  )
})

it('layers include the settings of lower layers', () => {
  const given = {
    node: node({ workerLatencyProfile: 'MediumUpdateAverageReaction' }),
    apiServer: tls({ type: 'Modern' }),
    featureGate: gates(['A'], ['B']),
  }
  const conf = {
    maxPods: 250,
    nodeStatusUpdateFrequency: '20s',
    tlsMinVersion: 'VersionTLS13',
    tlsCipherSuites: [
      'TLS_AES_128_GCM_SHA256',
      'TLS_AES_256_GCM_SHA384',
      'TLS_CHACHA20_POLY1305_SHA256',
    ],
  }
  const all = { ...conf, featureGates: { A: true, B: false } }
  expect(layers(given)).toEqual({ node: { kernelArguments: v2, conf }, features: { conf: all } })
  expect(kubeletDefaults(facts(given)).features).toEqual(all)
})

it('each layer includes lower layers for any settings', () => {
  const profile = fc.constantFrom(
    '',
    'Default',
    'MediumUpdateAverageReaction',
    'LowUpdateSlowReaction',
    'no',
  )
  const given = fc.record({
    node: fc.option(
      fc.record({ workerLatencyProfile: profile, cgroupMode: fc.constantFrom('', 'v1', 'v2') }),
    ),
    tls: fc.option(fc.record({ type: fc.constantFrom('Old', 'Modern', 'Custom', 'no') })),
    enabled: fc.array(fc.constantFrom('A', 'B', 'no gate'), { maxLength: 2 }),
    stored: fc.option(fc.constantFrom('10s', '20s', '1m0s', undefined), { nil: null }),
    role: fc.constantFrom('worker', 'master'),
  })
  fc.assert(
    fc.property(given, ({ node: result, tls: profileOf, enabled, stored, role }) => {
      const before = stored === null ? {} : { node: layer({ nodeStatusUpdateFrequency: stored }) }
      const { base, ...made } = kubeletDefaults(
        facts({
          role,
          stored: before,
          ...(result && { node: node(result) }),
          apiServer: tls(profileOf),
          featureGate: gates(enabled),
        }),
      )
      const { featureGates: _, ...rest } = made.features
      expect(rest).toEqual(made.node)
      expect(Object.keys(made.node)).toEqual(expect.arrayContaining(Object.keys(base)))
      expect(made.node['maxPods']).toBe(250)
      // The result is always readable by a kubelet.
      expect(['10s', '20s', '1m0s', undefined]).toContain(made.node['nodeStatusUpdateFrequency'])
    }),
  )
})

it('feature gates override those of the templates', () => {
  const base = { featureGates: { A: false, C: true } }
  expect(layers({ base, featureGate: gates(['A']) })).toEqual({
    features: { conf: { featureGates: { A: true, C: true } } },
  })
})

describe('an invalid setting', () => {
  it('is reported and keeps its last valid value, and other settings still apply', () => {
    const given: Partial<RoleFacts> = {
      node: node({ cgroupMode: 'v1', workerLatencyProfile: 'LowUpdateSlowReaction' }),
      apiServer: tls({ type: 'Nope' }),
      featureGate: gates(['not a gate']),
      stored: {
        node: layer(
          {
            maxPods: 1,
            nodeStatusUpdateFrequency: '10s',
            tlsMinVersion: 'VersionTLS13',
            tlsCipherSuites: ['x'],
          },
          ['old=1'],
        ),
        features: layer({ maxPods: 1, featureGates: { Before: true } }),
      },
    }
    expect(kubeletDefaults(facts(given)).problems).toEqual([
      {
        kind: 'Node',
        isProhibited: true,
        message: expect.stringContaining(
          'transition not allowed from Default to LowUpdateSlowReaction',
        ),
      },
      {
        kind: 'APIServer',
        isProhibited: false,
        message:
          'spec.tlsSecurityProfile.type: unknown profile "Nope"; use one of Old, Intermediate, Modern, Custom',
      },
      {
        kind: 'FeatureGate',
        isProhibited: false,
        message: '"not a gate" is not a valid feature gate name',
      },
      {
        kind: 'Node',
        isProhibited: false,
        message: expect.stringContaining('spec.cgroupMode: "v1" is not supported'),
      },
    ])
    const kept = {
      maxPods: 250,
      nodeStatusUpdateFrequency: '10s',
      tlsMinVersion: 'VersionTLS13',
      tlsCipherSuites: ['x'],
    }
    expect(layers(given)).toEqual({
      node: { kernelArguments: ['old=1'], conf: kept },
      features: { conf: { ...kept, featureGates: { Before: true } } },
    })
  })

  it('is skipped if there is no earlier value', () => {
    const given = { node: node({ cgroupMode: 'v1' }), featureGate: gates(['not a gate']) }
    expect(layers(given)).toEqual({})
    expect(kubeletDefaults(facts(given)).problems).toHaveLength(2)
  })

  it('of workers does not affect other roles', () => {
    const given = {
      role: 'master',
      node: node({ workerLatencyProfile: 'LowUpdateSlowReaction' }),
      stored: { node: layer({ nodeStatusUpdateFrequency: '10s' }) },
    }
    expect(kubeletDefaults(facts(given)).problems).toEqual([])
  })
})

describe('a kind that is no longer served', () => {
  const stored = {
    node: layer(
      {
        maxPods: 250,
        nodeStatusUpdateFrequency: '20s',
        tlsMinVersion: 'VersionTLS13',
        tlsCipherSuites: ['TLS_AES_128_GCM_SHA256'],
      },
      v2,
    ),
    features: layer({ maxPods: 250, featureGates: { A: true } }),
  }

  it('keeps its stored settings', () => {
    const lost = new Set(['Node', 'APIServer', 'FeatureGate'] as const)
    expect(layers({ lost, stored })).toEqual({
      node: { conf: stored.node.conf, kernelArguments: v2 },
      features: { conf: { ...stored.node.conf, featureGates: { A: true } } },
    })
    const { problems } = kubeletDefaults(facts({ lost, stored }))
    expect(problems.map(({ kind }) => kind)).toEqual(['Node', 'APIServer', 'FeatureGate'])
    expect(problems[0]!.message).toContain('no longer serves')
  })

  it('does not block other settings', () => {
    const lost = new Set(['FeatureGate'] as const)
    const result = layers({ lost, stored, node: node({ workerLatencyProfile: 'Default' }) })
    expect(result.node!.conf).toEqual({
      maxPods: 250,
      nodeStatusUpdateFrequency: '10s',
      tlsMinVersion: 'VersionTLS12',
    })
    expect(result.features!.conf).toHaveProperty('featureGates', { A: true })
  })

  it('does not set the latency of masters', () => {
    const lost = new Set(['Node'] as const)
    expect(layers({ role: 'master', lost, stored: { node: layer(undefined, v2) } })).toEqual({
      node: { kernelArguments: v2 },
    })
  })
})
