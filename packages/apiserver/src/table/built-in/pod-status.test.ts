import { describe, expect, it } from 'vitest'
import { podStatus } from './pod-status.ts'

const running = (name: string): unknown => ({ name, ready: true, state: { running: {} } })

describe('podStatus', () => {
  it('counts ready containers', () => {
    const pod = {
      spec: { containers: [{ name: 'a' }, { name: 'b' }] },
      status: { phase: 'Running', containerStatuses: [running('a'), { name: 'b', ready: false }] },
    }
    expect(podStatus(pod)).toMatchObject({
      ready: 1,
      containers: 2,
      reason: 'Running',
      restarts: 0,
    })
  })

  it('is Terminating for a pod that is being deleted, unless it has finished', () => {
    const deleted = { deletionTimestamp: '2026-01-02T03:04:05Z' }
    const reasonOf = (status: object): string => podStatus({ metadata: deleted, status }).reason
    expect(reasonOf({ phase: 'Running' })).toBe('Terminating')
    expect(reasonOf({ phase: 'Succeeded' })).toBe('Succeeded')
    expect(reasonOf({ phase: 'Failed' })).toBe('Failed')
    expect(reasonOf({ phase: 'Running', reason: 'NodeLost' })).toBe('Unknown')
  })

  it('uses main containers once the pod is initialized', () => {
    const waiting = { name: 'i', restartCount: 7, state: { waiting: { reason: 'Odd' } } }
    const pod = (initialized: string): Record<string, unknown> => ({
      spec: { initContainers: [{ name: 'i' }], containers: [{ name: 'a' }] },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Initialized', status: initialized }],
        initContainerStatuses: [waiting],
        containerStatuses: [running('a')],
      },
    })
    expect(podStatus(pod('False'))).toMatchObject({ ready: 0, reason: 'Init:Odd', restarts: 7 })
    expect(podStatus(pod('True'))).toMatchObject({ ready: 1, reason: 'Init:Odd', restarts: 0 })
  })

  it('supports a pod without a status', () => {
    expect(podStatus({})).toMatchObject({ ready: 0, containers: 0, reason: '', restarts: 0 })
  })
})
