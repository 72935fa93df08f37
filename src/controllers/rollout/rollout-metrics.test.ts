import { describe, expect, it } from 'vitest'
import { Metrics } from '@machinist/core/metrics'
import { rolloutMetrics } from './rollout-metrics.ts'

const metrics = new Metrics()
const rollout = rolloutMetrics(metrics)
const counts = {
  machineCount: 5,
  updatedMachineCount: 3,
  readyMachineCount: 3,
  degradedMachineCount: 1,
  unavailableMachineCount: 2,
}
const condition = (type: string, status: 'True' | 'False' | 'Unknown', reason = '') => ({
  type,
  status,
  reason,
  message: '',
})
const lines = (): string[] =>
  metrics
    .text()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
const ones = (): string[] => lines().filter((line) => /^machinist_.* 1$/.test(line))

describe('the metrics of a rollout', () => {
  it('match the status of the pool', () => {
    rollout.setStatus('worker', {
      ...counts,
      conditions: [
        condition('Updating', 'True', 'Blocked'),
        condition('NodeDegraded', 'True', '1 nodes are reporting degraded status on sync'),
        condition('RenderDegraded', 'False'),
        condition('Degraded', 'True', 'NodeDegraded'),
      ],
    })
    expect(lines().filter((line) => line.startsWith('mco_'))).toEqual([
      'mco_machine_count{pool="worker"} 5',
      'mco_updated_machine_count{pool="worker"} 3',
      'mco_degraded_machine_count{pool="worker"} 1',
      'mco_unavailable_machine_count{pool="worker"} 2',
    ])
    expect(ones()).toEqual([
      'machinist_pool_rollout{pool="worker",state="Blocked"} 1',
      'machinist_pool_degraded{pool="worker",condition="NodeDegraded"} 1',
    ])
    expect(lines()).toContain('machinist_pool_rollout{pool="worker",state="Progressing"} 0')
    expect(lines()).toContain('machinist_pool_degraded{pool="worker",condition="RenderDegraded"} 0')
  })

  it('follow the status', () => {
    const conditions = [condition('Updating', 'False'), condition('RenderDegraded', 'True')]
    rollout.setStatus('worker', { ...counts, conditions })
    const updated = 'machinist_pool_rollout{pool="worker",state="Updated"} 1'
    expect(ones()).toEqual([
      updated,
      'machinist_pool_degraded{pool="worker",condition="RenderDegraded"} 1',
    ])
    conditions[1] = condition('RenderDegraded', 'Unknown', 'TemplatesNotDone')
    rollout.setStatus('worker', { ...counts, conditions })
    expect(ones()).toEqual([updated, 'machinist_pool_render_waiting{pool="worker"} 1'])
  })

  it('are removed with the pool and the node', () => {
    rollout.setAssignment('n1', { overruled: 'infra' })
    expect(lines()).toContain('mcc_pool_alert{node="n1"} 1')
    rollout.setAssignment('n1', {})
    rollout.removePool('worker')
    expect(lines()).toEqual([])
  })
})
