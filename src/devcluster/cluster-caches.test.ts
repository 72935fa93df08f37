import { expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import { isInService } from './cluster-caches.ts'

const current = { 'machineconfiguration.openshift.io/currentConfig': 'rendered-master-1' }
const node = (status: 'True' | 'False', annotations: object, ...taints: string[]): Node => ({
  metadata: { name: 'master-0', annotations: { ...annotations } },
  spec: { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) },
  status: { conditions: [{ type: 'Ready', status }] },
})

it('a node is in service when it is ready, has a config, and has no taints but that of its role', () => {
  const master = 'node-role.kubernetes.io/master'
  expect(isInService(node('True', current, master))).toBe(true)
  expect(isInService({ ...node('True', current), spec: {} })).toBe(true)
  expect(isInService(node('True', {}, master))).toBe(false)
  expect(isInService(node('True', current, master, 'node.kubernetes.io/not-ready'))).toBe(false)
  expect(isInService(node('True', current, 'UpdateInProgress'))).toBe(false)
  expect(isInService(node('False', current))).toBe(false)
  expect(isInService(undefined)).toBe(false)
})
