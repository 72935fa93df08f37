import { expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import { trimNode } from './node-cache.ts'

it('keeps only the needed fields of a Node', () => {
  const ready = {
    type: 'Ready',
    status: 'True' as const,
    lastHeartbeatTime: '2026-01-01T00:00:00Z',
    lastTransitionTime: '2025-12-01T00:00:00Z',
  }
  const node: Node = {
    metadata: {
      name: 'a',
      uid: '1',
      resourceVersion: '7',
      creationTimestamp: '2025-11-01T00:00:00Z',
      labels: { 'kubernetes.io/os': 'linux', other: 'x' },
      annotations: { much: 'x' },
    },
    status: {
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      conditions: [
        { type: 'DiskPressure', status: 'False' },
        { ...ready, reason: 'KubeletReady', message: 'kubelet is posting ready status' },
      ],
    },
  }
  expect(trimNode(node)).toEqual({
    metadata: {
      name: 'a',
      uid: '1',
      resourceVersion: '7',
      creationTimestamp: '2025-11-01T00:00:00Z',
      labels: { 'kubernetes.io/os': 'linux' },
    },
    status: { addresses: node.status!.addresses, conditions: [ready] },
  })
  expect(trimNode({ metadata: { name: 'b' } })).toEqual({
    metadata: { name: 'b' },
    status: { conditions: [] },
  })
})
