import { describe, expect, it } from 'vitest'
import { builtInPool, missingLabels } from './default-pools.ts'

describe('a built-in pool', () => {
  it('master must be up to date before an upgrade counts as done', () => {
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

  it('worker need not', () => {
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

  it('arbiter is where the control plane has one', () => {
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

  it('is none of any other name', () => {
    expect(builtInPool('infra', 'HighlyAvailableArbiter')).toBeUndefined()
    expect(builtInPool('constructor', undefined)).toBeUndefined()
  })
})

it('only what is missing or different of the labels is written', () => {
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
