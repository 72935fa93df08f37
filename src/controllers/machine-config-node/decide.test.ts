import { describe, expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import type { MachineConfigNode } from '../../api/kinds/resources.ts'
import { decide as decideFacts } from './decide.ts'
import type { MachineConfigNodeFacts } from './facts.ts'

const domain = 'machineconfiguration.openshift.io'
const image = `registry.example.com/os@sha256:${'a'.repeat(64)}`
const owner = { apiVersion: 'v1', kind: 'Node', name: 'worker-0', uid: 'u1' }

function node(annotations: Record<string, string> = {}): Node {
  return { metadata: { name: 'worker-0', uid: 'u1', annotations } }
}

const targeted = node({ [`${domain}/desiredConfig`]: 'rendered-worker-1' })

function record(more: Partial<MachineConfigNode['metadata']> = {}, spec = {}): MachineConfigNode {
  return {
    metadata: {
      name: 'worker-0',
      uid: 'm1',
      resourceVersion: '7',
      ownerReferences: [owner],
      ...more,
    },
    spec: {
      node: { name: 'worker-0' },
      pool: { name: 'worker' },
      configVersion: { desired: 'rendered-worker-1' },
      ...spec,
    },
  }
}

const decide = (facts: Omit<MachineConfigNodeFacts, 'name'>) =>
  decideFacts({ name: 'worker-0', ...facts })

describe('the MachineConfigNode of a node', () => {
  it('is created from the Node and its pool', () => {
    expect(decide({ node: targeted, pool: 'worker', found: undefined })).toEqual({
      action: 'create',
      because: 'it does not exist',
      object: {
        metadata: { name: 'worker-0', ownerReferences: [owner] },
        spec: {
          node: { name: 'worker-0' },
          pool: { name: 'worker' },
          configVersion: { desired: 'rendered-worker-1' },
        },
      },
    })
  })

  it('has not-yet-set for unknown values', () => {
    const plan = decide({ node: node(), pool: undefined, found: undefined })
    expect(plan).toMatchObject({
      object: {
        spec: { pool: { name: 'not-yet-set' }, configVersion: { desired: 'not-yet-set' } },
      },
    })
  })

  it('is not written if it is up to date', () => {
    const found = {
      ...record(),
      status: { configVersion: { desired: 'not-yet-set' }, conditions: [] },
    }
    expect(decide({ node: targeted, pool: 'worker', found })).toEqual({ action: 'nothing' })
  })

  it.each([
    ['the pool', { pool: { name: 'not-yet-set' } }],
    ['another pool', { pool: { name: 'infra' } }],
    ['the config', { configVersion: { desired: 'not-yet-set' } }],
    ['an older config', { configVersion: { desired: 'rendered-worker-0' } }],
  ])('gets %s', (_, spec) => {
    expect(decide({ node: targeted, pool: 'worker', found: record({}, spec) })).toEqual({
      action: 'change',
      because: 'the pool or the desired config of its node changed',
      change: {
        spec: {
          node: { name: 'worker-0' },
          pool: { name: 'worker' },
          configVersion: { desired: 'rendered-worker-1' },
        },
      },
    })
  })

  it('gets the desired image, and loses it with the node', () => {
    const layered = node({
      [`${domain}/desiredConfig`]: 'rendered-worker-1',
      [`${domain}/desiredImage`]: image,
    })
    expect(decide({ node: layered, pool: 'worker', found: record() })).toMatchObject({
      change: { spec: { configImage: { desiredImage: image } } },
    })
    const found = record({}, { configImage: { desiredImage: image } })
    expect(decide({ node: layered, pool: 'worker', found })).toEqual({ action: 'nothing' })
    expect(decide({ node: targeted, pool: 'worker', found })).toMatchObject({
      change: { spec: { configImage: null } },
    })
  })

  it('does not get an image that the API server would reject', () => {
    const odd = node({
      [`${domain}/desiredConfig`]: 'rendered-worker-1',
      [`${domain}/desiredImage`]: 'registry.example.com/os:latest',
    })
    expect(decide({ node: odd, pool: 'worker', found: record() })).toEqual({ action: 'nothing' })
  })

  it('gets its Node as owner if a daemon created it, and keeps other owners', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'c1' }
    expect(
      decide({ node: targeted, pool: 'worker', found: record({ ownerReferences: [other] }) }),
    ).toEqual({
      action: 'change',
      because: 'its node does not own it',
      change: { metadata: { ownerReferences: [other, owner], resourceVersion: '7' } },
    })
  })

  it('is deleted with its node, or if it belongs to a former node', () => {
    const found = record()
    expect(decide({ node: undefined, pool: undefined, found })).toEqual({
      action: 'remove',
      because: 'the node does not exist',
      found,
    })
    const stale = record({ ownerReferences: [{ ...owner, uid: 'u0' }] })
    expect(decide({ node: targeted, pool: 'worker', found: stale })).toMatchObject({
      action: 'remove',
      because: 'it belongs to a former node of this name',
    })
    expect(decide({ node: undefined, pool: undefined, found: undefined })).toEqual({
      action: 'nothing',
    })
  })

  it('is not written while it is being deleted', () => {
    const found = record({ deletionTimestamp: '2026-01-01T00:00:00Z', ownerReferences: [] })
    expect(decide({ node: targeted, pool: 'infra', found })).toEqual({ action: 'nothing' })
  })
})
