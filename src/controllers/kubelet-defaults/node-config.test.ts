import { describe, expect, it } from 'vitest'
import type { NodeConfig } from '../../api/openshift-config.ts'
import { kernelArgumentsOf, statusUpdateFrequency } from './node-config.ts'

const node = (spec?: object): NodeConfig =>
  ({ metadata: { name: 'cluster' }, ...(spec && { spec }) }) as NodeConfig
const profile = (workerLatencyProfile: string): NodeConfig => node({ workerLatencyProfile })

describe('the latency profile of workers', () => {
  it.each<[string, string | undefined]>([
    ['', undefined],
    ['Default', '10s'],
    ['MediumUpdateAverageReaction', '20s'],
    ['LowUpdateSlowReaction', '1m0s'],
  ])('%j', (name, frequency) => {
    expect(statusUpdateFrequency(profile(name), undefined)).toBe(frequency)
  })

  it('is optional', () => {
    expect(statusUpdateFrequency(node(), undefined)).toBeUndefined()
    expect(statusUpdateFrequency(node({}), { stored: undefined })).toBeUndefined()
  })

  it.each<[string | undefined, string, string, string]>([
    [undefined, 'LowUpdateSlowReaction', 'Default', 'LowUpdateSlowReaction'],
    ['10s', 'LowUpdateSlowReaction', 'Default', 'LowUpdateSlowReaction'],
    ['1m0s', '', 'LowUpdateSlowReaction', 'Default'],
    ['60s', 'Default', 'LowUpdateSlowReaction', 'Default'],
  ])('must not change from %s to %j', (stored, name, from, to) => {
    expect(statusUpdateFrequency(profile(name), { stored })).toEqual({
      message: `spec.workerLatencyProfile: transition not allowed from ${from} to ${to}; set MediumUpdateAverageReaction first, and wait until the pool is updated`,
      isProhibited: true,
    })
  })

  it.each<[string | undefined, string, string | undefined]>([
    [undefined, 'MediumUpdateAverageReaction', '20s'],
    ['10s', 'MediumUpdateAverageReaction', '20s'],
    ['20s', 'LowUpdateSlowReaction', '1m0s'],
    ['20s', '', undefined],
    ['1m0s', 'MediumUpdateAverageReaction', '20s'],
    ['1m0s', 'LowUpdateSlowReaction', '1m0s'],
    ['7s', 'LowUpdateSlowReaction', '1m0s'],
  ])('may change from %s to %j', (stored, name, frequency) => {
    expect(statusUpdateFrequency(profile(name), { stored })).toBe(frequency)
  })

  it('may change if the templates set the same frequency', () => {
    expect(statusUpdateFrequency(profile(''), { stored: '60s' }, '60s')).toBeUndefined()
  })

  it('must be known', () => {
    expect(statusUpdateFrequency(profile('Fast'), undefined)).toEqual({
      message:
        'spec.workerLatencyProfile: "Fast" is not one of Default, MediumUpdateAverageReaction, LowUpdateSlowReaction',
      isProhibited: false,
    })
  })
})

describe('cgroups', () => {
  it.each([node(), node({}), node({ cgroupMode: '' }), node({ cgroupMode: 'v2' })])(
    'are v2: %j',
    (config) => {
      expect(kernelArgumentsOf(config)).toEqual([
        'systemd.unified_cgroup_hierarchy=1',
        'cgroup_no_v1="all"',
      ])
    },
  )

  it.each([
    ['v1', 'spec.cgroupMode: "v1" is not supported: kubelets no longer support cgroup v1; use v2'],
    ['v3', 'spec.cgroupMode: "v3" is not supported: it is unknown; use v2'],
  ])('cannot be %s', (cgroupMode, message) => {
    expect(kernelArgumentsOf(node({ cgroupMode }))).toEqual({ message, isProhibited: false })
  })
})
