import { describe, expect, it } from 'vitest'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { configsByName } from '../generated/caches.ts'
import { poolSettings } from '../node-settings/pool-settings.ts'
import type { KubeletDefaultsPlan } from './decide.ts'
import { decide } from './decide.ts'
import type { KubeletDefaultsFacts } from './facts.ts'

const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
const layer = (name: string, build?: string): MachineConfig => ({
  metadata: { name, ...(build !== undefined && { annotations: { [generatedBy]: build } }) },
})
const stored = configsByName([
  layer('97-worker-generated-kubelet', 'machinist-a'),
  layer('97-worker-u-kubelet', 'machinist-a'),
  layer('98-worker-generated-kubelet'),
])
const gates = (...enabled: string[]) => ({
  metadata: { name: 'cluster' },
  spec: { featureSet: 'CustomNoUpgrade', customNoUpgrade: { enabled } },
})
const role = { role: 'worker', base: { maxPods: 250 }, stored: {} }

const facts = (more: Partial<KubeletDefaultsFacts> = {}): KubeletDefaultsFacts => ({
  settings: poolSettings({ metadata: { name: 'worker', uid: 'u' }, spec: {} }),
  role: { facts: role },
  lost: new Set(),
  stored,
  maker: { version: '1.2.3', build: 'machinist-b' },
  ...more,
})
const names = (configs: readonly Readonly<MachineConfig>[]): string[] =>
  configs.map(({ metadata }) => metadata.name)
const changes = (plan: KubeletDefaultsPlan) =>
  plan.type === 'apply'
    ? { ...plan, desired: names(plan.desired), stale: names(plan.stale) }
    : undefined

describe('the layers of a pool', () => {
  it('are stored, and generated ones that are no longer needed are deleted', () => {
    const featureGate = gates('A')
    expect(changes(decide(facts({ role: { facts: { ...role, featureGate } } })))).toEqual({
      type: 'apply',
      desired: ['98-worker-generated-kubelet'],
      stale: ['97-worker-generated-kubelet', '97-worker-u-kubelet'],
      problems: [],
      isUnwatched: false,
    })
  })

  it('are deleted if the pool selects those of a built-in pool', () => {
    const plan = decide(facts({ role: undefined, lost: new Set(['Node']) }))
    expect(changes(plan)).toEqual({
      type: 'apply',
      desired: [],
      stale: ['97-worker-generated-kubelet', '97-worker-u-kubelet'],
      problems: [],
      isUnwatched: false,
    })
  })

  it('are kept while the pool waits for its templates', () => {
    const plan = decide(facts({ role: { waitsFor: 'the worker templates' } }))
    expect(plan).toEqual({ type: 'wait', waitsFor: 'the worker templates' })
  })

  it('are kept while the templates are unreadable', () => {
    const plan = decide(facts({ role: { unreadable: 'no YAML' }, lost: new Set(['Node']) }))
    expect(plan).toEqual({
      type: 'apply',
      desired: [],
      stale: [],
      problems: [{ reason: 'NoBase', message: 'no YAML' }],
      isUnwatched: true,
    })
  })
})

it('an invalid setting is a problem with its object', () => {
  const node = { metadata: { name: 'cluster' }, spec: { cgroupMode: 'v1' } }
  expect(changes(decide(facts({ role: { facts: { ...role, node } } })))?.problems).toEqual([
    {
      reason: 'BadKubeletDefaults',
      message: expect.stringMatching(/^Node cluster: spec.cgroupMode: "v1" is not/) as string,
      source: expect.objectContaining({ kind: 'Node', isProhibited: false }) as object,
    },
  ])
})
