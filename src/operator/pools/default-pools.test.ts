import { describe, expect, it } from 'vitest'
import { builtInPool, missingLabels } from './default-pools.ts'

describe('a built-in pool', () => {
  it('master is required for upgrades', () => {
    expect(builtInPool('master', undefined)).toEqual({
      metadata: {
        name: 'master',
        labels: {
          'operator.machineconfiguration.openshift.io/required-for-upgrade': '',
          'machineconfiguration.openshift.io/mco-built-in': '',
          'pools.operator.machineconfiguration.openshift.io/master': '',
        },
      },
      spec: {
        machineConfigSelector: {
          matchLabels: { 'machineconfiguration.openshift.io/role': 'master' },
        },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/master': '' } },
      },
    })
  })

  it('worker is not required for upgrades', () => {
    expect(builtInPool('worker', 'SingleReplica')).toEqual({
      metadata: {
        name: 'worker',
        labels: {
          'machineconfiguration.openshift.io/mco-built-in': '',
          'pools.operator.machineconfiguration.openshift.io/worker': '',
        },
      },
      spec: {
        machineConfigSelector: {
          matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' },
        },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
      },
    })
  })

  it('arbiter exists if the control plane has one', () => {
    expect(builtInPool('arbiter', 'HighlyAvailableArbiter')).toEqual({
      metadata: {
        name: 'arbiter',
        labels: {
          'operator.machineconfiguration.openshift.io/required-for-upgrade': '',
          'machineconfiguration.openshift.io/mco-built-in': '',
          'pools.operator.machineconfiguration.openshift.io/arbiter': '',
        },
      },
      spec: {
        machineConfigSelector: {
          matchLabels: { 'machineconfiguration.openshift.io/role': 'arbiter' },
        },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/arbiter': '' } },
      },
    })
    for (const topology of [undefined, '', 'HighlyAvailable', 'SingleReplica', 'External']) {
      expect(builtInPool('arbiter', topology)).toBeUndefined()
    }
  })

  it('has one of these names', () => {
    expect(builtInPool('infra', 'HighlyAvailableArbiter')).toBeUndefined()
    expect(builtInPool('constructor', undefined)).toBeUndefined()
  })
})

it('only missing and different labels are written', () => {
  const worker = builtInPool('worker', undefined)!
  expect(missingLabels(worker, worker)).toBeUndefined()
  const relabelled = {
    metadata: {
      name: 'worker',
      labels: { mine: 'stays', 'machineconfiguration.openshift.io/mco-built-in': 'no' },
    },
    spec: { paused: true },
  }
  expect(missingLabels(worker, relabelled)).toEqual({
    'machineconfiguration.openshift.io/mco-built-in': '',
    'pools.operator.machineconfiguration.openshift.io/worker': '',
  })
})
