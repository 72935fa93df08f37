import { describe, expect, it } from 'vitest'
import { testWriteContext } from '../../write-context.fixture.ts'
import type { ApiObject } from '../../kind-rules.ts'
import { podRules } from './pod.ts'

const pod = (spec: object, status: object = {}): ApiObject => ({
  metadata: { name: 'p' },
  spec,
  status,
})

function completed(container: object): Record<string, unknown> {
  const object = pod({ containers: [{ name: 'c', ...container }] })
  podRules.complete?.(object)
  return (object['spec'] as { containers: Record<string, unknown>[] }).containers[0]!
}

describe('a pod', () => {
  it.each([
    ['i', 'Always'],
    ['i:latest', 'Always'],
    ['host:5000/i', 'Always'],
    ['i:1', 'IfNotPresent'],
    ['i@sha256:00', 'IfNotPresent'],
  ])('pulls %s %s', (image, policy) => {
    expect(completed({ image })['imagePullPolicy']).toBe(policy)
  })

  it.each([
    [{}, 'BestEffort'],
    [{ requests: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    [{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } }, 'Burstable'],
  ])('with %j has QoS class %s', (resources, quality) => {
    const object = pod({ containers: [{ name: 'c', image: 'i', resources }] })
    podRules.prepareForCreate?.(object, testWriteContext())
    expect(object['status']).toEqual({ phase: 'Pending', qosClass: quality })
  })

  it('has its grace period if it is scheduled', () => {
    const placed = { nodeName: 'n1', terminationGracePeriodSeconds: 7 }
    expect(podRules.grace?.(pod(placed), undefined)).toBe(7)
    expect(podRules.grace?.(pod(placed), 2)).toBe(2)
    expect(podRules.grace?.(pod({ nodeName: 'n1' }), undefined)).toBe(30)
    expect(podRules.grace?.(pod({}), undefined)).toBe(0)
    expect(podRules.grace?.(pod(placed, { phase: 'Succeeded' }), undefined)).toBe(0)
  })
})
