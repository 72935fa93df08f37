import { describe, expect, it } from 'vitest'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { taintsOf } from './node-taints-stand-in.ts'
import { bestNode } from './scheduler-stand-in.ts'

const ready = { conditions: [{ type: 'Ready', status: 'True' as const }] }
const node = (name: string, more: Partial<Node> = {}): Node => ({
  metadata: { name, labels: { disk: 'ssd' } },
  status: ready,
  ...more,
})
const owned = (name: string, uid: string): Pod => ({
  metadata: {
    name,
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true },
    ],
  },
  spec: { containers: [] },
})
const noPods = (): Pod[] => []

describe('a pod', () => {
  it('goes to a suitable node with few pods of the same owner and few pods', () => {
    const there: Record<string, Pod[]> = {
      a: [owned('sibling', 'web')],
      b: [owned('x', 'other'), owned('y', 'other')],
      c: [owned('z', 'other')],
    }
    const nodes = ['a', 'b', 'c'].map((name) => node(name))
    expect(bestNode(owned('new', 'web'), nodes, (name) => there[name] ?? [])).toBe('c')
  })

  it.each([
    ['cordoned', { spec: { unschedulable: true } }],
    ['not ready', { status: {} }],
    ['tainted', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' as const }] } }],
    ['otherwise labelled', { metadata: { name: 'a' } }],
  ])('does not go to a node that is %s', (_what, more) => {
    const pod: Pod = {
      metadata: { name: 'p' },
      spec: { containers: [], nodeSelector: { disk: 'ssd' } },
    }
    expect(bestNode(pod, [node('a', more)], noPods)).toBeUndefined()
    expect(bestNode(pod, [node('a')], noPods)).toBe('a')
  })

  it('goes to a tainted node if it tolerates the taint, and prefers one without PreferNoSchedule', () => {
    const taints = [{ key: 'x', effect: 'NoSchedule' as const }]
    const tolerations = [{ key: 'x', operator: 'Exists' as const }]
    const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [], tolerations } }
    expect(bestNode(pod, [node('a', { spec: { taints } })], noPods)).toBe('a')
    const waiting = [{ key: 'UpdateInProgress', effect: 'PreferNoSchedule' as const }]
    expect(bestNode(pod, [node('a', { spec: { taints: waiting } }), node('b')], noPods)).toBe('b')
    expect(bestNode(pod, [node('a', { spec: { taints: waiting } })], noPods)).toBe('a')
  })
})

describe('taints', () => {
  const time = '2026-03-01T10:00:00Z'
  const other = { key: 'x', effect: 'NoSchedule' as const }

  it('reflect conditions and cordons, with their time', () => {
    const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const }
    expect(taintsOf(node('a', { status: {} }), time)).toEqual([{ ...notReady, timeAdded: time }])
    expect(taintsOf(node('a', { spec: { taints: [notReady, other] } }), time)).toEqual([other])
    const cordoned = node('a', { spec: { unschedulable: true, taints: [other] } })
    const added = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: time }
    expect(taintsOf(cordoned, time)).toEqual([other, added])
  })
})
