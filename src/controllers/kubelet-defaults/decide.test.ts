import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { APIServer, FeatureGate, NodeConfig } from '../../api/openshift-config.ts'
import { decodeDataUrl } from '@machinist/core/data-url'
import { parseYaml } from '@machinist/core/yaml'
import type { Config } from '@machinist/ignition/config'
import type { DefaultsFacts, StoredLayer } from './decide.ts'
import { kubeletDefaults, layersOf } from './decide.ts'

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
const facts = (more: Partial<DefaultsFacts> = {}): DefaultsFacts => ({
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
/** What the two MachineConfigs say. */
function layers(given: Partial<DefaultsFacts>, isBuiltIn = true): { node?: Said; features?: Said } {
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

describe('a cluster that says nothing about kubelets', () => {
  it.each<[string, Partial<DefaultsFacts>]>([
    ['has no such kinds', {}],
    ['names no gates', { featureGate: gates([]) }],
    ['has no TLS profile', { apiServer: tls(null) }],
  ])('gets nothing: %s', (_, given) => {
    expect(layers(given)).toEqual({})
    expect(kubeletDefaults(facts(given))).toMatchObject({ problems: [], features: facts().base })
  })
})

describe('config Node', () => {
  it('has the nodes of built-in pools run with cgroups of version 2', () => {
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
    'tells workers how often to speak up: %s',
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

it('layers hold what those below say', () => {
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

it('each layer says all that those below say, whatever the cluster says', () => {
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
    fc.property(given, ({ node: said, tls: profileOf, enabled, stored, role }) => {
      const before = stored === null ? {} : { node: layer({ nodeStatusUpdateFrequency: stored }) }
      const { base, ...made } = kubeletDefaults(
        facts({
          role,
          stored: before,
          ...(said && { node: node(said) }),
          apiServer: tls(profileOf),
          featureGate: gates(enabled),
        }),
      )
      const { featureGates: _, ...rest } = made.features
      expect(rest).toEqual(made.node)
      expect(Object.keys(made.node)).toEqual(expect.arrayContaining(Object.keys(base)))
      expect(made.node['maxPods']).toBe(250)
      // Nothing that a kubelet could not read ever comes out of it.
      expect(['10s', '20s', '1m0s', undefined]).toContain(made.node['nodeStatusUpdateFrequency'])
    }),
  )
})

it('gates are laid over those of the templates', () => {
  const base = { featureGates: { A: false, C: true } }
  expect(layers({ base, featureGate: gates(['A']) })).toEqual({
    features: { conf: { featureGates: { A: true, C: true } } },
  })
})

describe('what cannot be used', () => {
  it('is told, and what was good before stays; everything else goes on', () => {
    const given: Partial<DefaultsFacts> = {
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
          'spec.tlsSecurityProfile.type: there is no profile "Nope"; known are Old, Intermediate, Modern, Custom',
      },
      {
        kind: 'FeatureGate',
        isProhibited: false,
        message: '"not a gate" is no name of a feature gate',
      },
      {
        kind: 'Node',
        isProhibited: false,
        message: expect.stringContaining('spec.cgroupMode: "v1" cannot be used'),
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

  it('is left out where there was nothing before', () => {
    const given = { node: node({ cgroupMode: 'v1' }), featureGate: gates(['not a gate']) }
    expect(layers(given)).toEqual({})
    expect(kubeletDefaults(facts(given)).problems).toHaveLength(2)
  })

  it('is nothing that only workers care for', () => {
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

  it('takes nothing with it', () => {
    const lost = new Set(['Node', 'APIServer', 'FeatureGate'] as const)
    expect(layers({ lost, stored })).toEqual({
      node: { conf: stored.node.conf, kernelArguments: v2 },
      features: { conf: { ...stored.node.conf, featureGates: { A: true } } },
    })
    const { problems } = kubeletDefaults(facts({ lost, stored }))
    expect(problems.map(({ kind }) => kind)).toEqual(['Node', 'APIServer', 'FeatureGate'])
    expect(problems[0]!.message).toContain('no longer serves')
  })

  it('holds back no other', () => {
    const lost = new Set(['FeatureGate'] as const)
    const said = layers({ lost, stored, node: node({ workerLatencyProfile: 'Default' }) })
    expect(said.node!.conf).toEqual({
      maxPods: 250,
      nodeStatusUpdateFrequency: '10s',
      tlsMinVersion: 'VersionTLS12',
    })
    expect(said.features!.conf).toHaveProperty('featureGates', { A: true })
  })

  it('says nothing to masters about the latency of workers', () => {
    const lost = new Set(['Node'] as const)
    expect(layers({ role: 'master', lost, stored: { node: layer(undefined, v2) } })).toEqual({
      node: { kernelArguments: v2 },
    })
  })
})
