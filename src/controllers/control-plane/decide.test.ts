import { describe, expect, it } from 'vitest'
import type { Node, Taint } from '@machinist/kube/kinds/core'
import { decide as decideFacts } from './decide.ts'

const role = (name: string): string => `node-role.kubernetes.io/${name}`
const taint = (key: string, effect: Taint['effect'] = 'NoSchedule'): Taint => ({ key, effect })
const master = taint(role('master'))
const controlPlane = taint(role('control-plane'))
const dummy = taint('dummy')

function node(roles: readonly string[], taints: readonly Taint[] = []): Node {
  return {
    metadata: {
      name: 'master-0',
      resourceVersion: '7',
      labels: { ...Object.fromEntries(roles.map((name) => [role(name), ''])), other: 'stays' },
    },
    ...(taints.length > 0 && { spec: { taints: [...taints] } }),
  }
}

const decide = (found: Node, schedulable: boolean | undefined) =>
  decideFacts({ node: found, schedulable })

describe('a control plane node', () => {
  it('gets the control-plane label, regardless of the Scheduler', () => {
    expect(decide(node(['master']), undefined)).toEqual({
      metadata: { resourceVersion: '7', labels: { [role('control-plane')]: '' } },
    })
  })

  it('keeps its other labels and taints without a Scheduler', () => {
    expect(decide(node(['master', 'control-plane', 'worker'], [dummy]), undefined)).toBeUndefined()
  })

  it('that is schedulable gets the worker label and loses the taints', () => {
    const found = node(['master', 'control-plane'], [master, dummy, controlPlane])
    expect(decide(found, true)).toEqual({
      metadata: { resourceVersion: '7', labels: { [role('worker')]: '' } },
      spec: { taints: [dummy] },
    })
    expect(decide(node(['master', 'control-plane', 'worker'], [master]), true)).toEqual({
      metadata: { resourceVersion: '7' },
      spec: { taints: null },
    })
    expect(decide(node(['master', 'control-plane', 'worker'], [dummy]), true)).toBeUndefined()
  })

  it('that is not schedulable loses the worker label and gets the taint', () => {
    expect(decide(node(['master', 'control-plane', 'worker'], [dummy]), false)).toEqual({
      metadata: { resourceVersion: '7', labels: { [role('worker')]: null } },
      spec: { taints: [dummy, master] },
    })
    expect(decide(node(['master', 'control-plane'], [master, dummy]), false)).toBeUndefined()
  })

  it('keeps a taint with the same key and another effect', () => {
    const evicts = taint(role('master'), 'NoExecute')
    expect(decide(node(['master', 'control-plane', 'worker'], [evicts]), true)).toBeUndefined()
    expect(decide(node(['master', 'control-plane'], [evicts]), false)).toMatchObject({
      spec: { taints: [evicts, master] },
    })
  })
})

it('other nodes are not changed', () => {
  expect(decide(node(['worker'], [master]), true)).toBeUndefined()
  expect(decide(node([]), false)).toBeUndefined()
})
