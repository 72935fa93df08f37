import { describe, expect, it } from 'vitest'
import type { NodeConfig } from '../../api/openshift-config.ts'
import { kernelArgumentsOf, latencyOf } from './node-config.ts'

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
    expect(latencyOf(profile(name), undefined)).toBe(frequency)
  })

  it('may be missing', () => {
    expect(latencyOf(node(), undefined)).toBeUndefined()
    expect(latencyOf(node({}), { stored: undefined })).toBeUndefined()
  })

  it.each<[string | undefined, string, string, string]>([
    [undefined, 'LowUpdateSlowReaction', 'Default', 'LowUpdateSlowReaction'],
    ['10s', 'LowUpdateSlowReaction', 'Default', 'LowUpdateSlowReaction'],
    ['1m0s', '', 'LowUpdateSlowReaction', 'Default'],
    ['60s', 'Default', 'LowUpdateSlowReaction', 'Default'],
  ])('does not leap from %s to %j', (stored, name, from, to) => {
    expect(latencyOf(profile(name), { stored })).toEqual({
      message: `spec.workerLatencyProfile: transition not allowed from ${from} to ${to}; go by MediumUpdateAverageReaction, and on from there when the pool is updated`,
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
  ])('goes from %s to %j', (stored, name, frequency) => {
    expect(latencyOf(profile(name), { stored })).toBe(frequency)
  })

  it('leaps nowhere where the templates say the same', () => {
    expect(latencyOf(profile(''), { stored: '60s' }, '60s')).toBeUndefined()
  })

  it('has to be known', () => {
    expect(latencyOf(profile('Fast'), undefined)).toEqual({
      message:
        'spec.workerLatencyProfile: "Fast" is not one of Default, MediumUpdateAverageReaction, LowUpdateSlowReaction',
      isProhibited: false,
    })
  })
})

describe('cgroups', () => {
  it.each([node(), node({}), node({ cgroupMode: '' }), node({ cgroupMode: 'v2' })])(
    'are of version 2: %j',
    (config) => {
      expect(kernelArgumentsOf(config)).toEqual([
        'systemd.unified_cgroup_hierarchy=1',
        'cgroup_no_v1="all"',
      ])
    },
  )

  it.each([
    [
      'v1',
      'spec.cgroupMode: "v1" cannot be used: kubelets no longer run with cgroups of version 1',
    ],
    ['v3', 'spec.cgroupMode: "v3" cannot be used: it can only be v2'],
  ])('cannot be %s', (cgroupMode, message) => {
    expect(kernelArgumentsOf(node({ cgroupMode }))).toEqual({ message, isProhibited: false })
  })
})
