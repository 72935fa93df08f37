import { describe, expect, it } from 'vitest'
import type { MachineConfigNode } from '../../api/resources.ts'
import type { Node } from '@machinist/kube/kinds/core'
import { decide } from './decide.ts'

const domain = 'machineconfiguration.openshift.io'
const image = `registry.example.com/os@sha256:${'a'.repeat(64)}`
const owner = { apiVersion: 'v1', kind: 'Node', name: 'worker-0', uid: 'u1' }

function node(annotations: Record<string, string> = {}): Node {
  return { metadata: { name: 'worker-0', uid: 'u1', annotations } }
}

const told = node({ [`${domain}/desiredConfig`]: 'rendered-worker-1' })

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

describe('the MachineConfigNode of a node', () => {
  it('is made with what is known', () => {
    expect(decide({ node: told, pool: 'worker', found: undefined })).toEqual({
      type: 'create',
      because: 'there is none',
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

  it('says not-yet-set for what is not', () => {
    const plan = decide({ node: node(), pool: undefined, found: undefined })
    expect(plan).toMatchObject({
      object: {
        spec: { pool: { name: 'not-yet-set' }, configVersion: { desired: 'not-yet-set' } },
      },
    })
  })

  it('is left alone when it says the same', () => {
    const found = {
      ...record(),
      status: { configVersion: { desired: 'not-yet-set' }, conditions: [] },
    }
    expect(decide({ node: told, pool: 'worker', found })).toEqual({ type: 'nothing' })
  })

  it.each([
    ['the pool', { pool: { name: 'not-yet-set' } }],
    ['another pool', { pool: { name: 'infra' } }],
    ['the config', { configVersion: { desired: 'not-yet-set' } }],
    ['an older config', { configVersion: { desired: 'rendered-worker-0' } }],
  ])('is told %s', (_, spec) => {
    expect(decide({ node: told, pool: 'worker', found: record({}, spec) })).toEqual({
      type: 'change',
      because: 'its node is in, or was told, something else',
      change: {
        spec: {
          node: { name: 'worker-0' },
          pool: { name: 'worker' },
          configVersion: { desired: 'rendered-worker-1' },
        },
      },
    })
  })

  it('is told the image, and loses it with the node', () => {
    const layered = node({
      [`${domain}/desiredConfig`]: 'rendered-worker-1',
      [`${domain}/desiredImage`]: image,
    })
    expect(decide({ node: layered, pool: 'worker', found: record() })).toMatchObject({
      change: { spec: { configImage: { desiredImage: image } } },
    })
    const found = record({}, { configImage: { desiredImage: image } })
    expect(decide({ node: layered, pool: 'worker', found })).toEqual({ type: 'nothing' })
    expect(decide({ node: told, pool: 'worker', found })).toMatchObject({
      change: { spec: { configImage: null } },
    })
  })

  it('is not told an image that the API would refuse', () => {
    const odd = node({
      [`${domain}/desiredConfig`]: 'rendered-worker-1',
      [`${domain}/desiredImage`]: 'registry.example.com/os:latest',
    })
    expect(decide({ node: odd, pool: 'worker', found: record() })).toEqual({ type: 'nothing' })
  })

  it('is adopted when a daemon made it, beside owners that it has', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'c1' }
    expect(
      decide({ node: told, pool: 'worker', found: record({ ownerReferences: [other] }) }),
    ).toEqual({
      type: 'change',
      because: 'it is adopted',
      change: { metadata: { ownerReferences: [other, owner], resourceVersion: '7' } },
    })
  })

  it('goes with its node, and with a predecessor of its node', () => {
    const found = record()
    expect(decide({ node: undefined, pool: undefined, found })).toEqual({
      type: 'remove',
      because: 'there is no such node',
      found,
    })
    const stale = record({ ownerReferences: [{ ...owner, uid: 'u0' }] })
    expect(decide({ node: told, pool: 'worker', found: stale })).toMatchObject({
      type: 'remove',
      because: 'it tells of an earlier node of this name',
    })
    expect(decide({ node: undefined, pool: undefined, found: undefined })).toEqual({
      type: 'nothing',
    })
  })

  it('that is on its way out is waited for', () => {
    const found = record({ deletionTimestamp: '2026-01-01T00:00:00Z', ownerReferences: [] })
    expect(decide({ node: told, pool: 'infra', found })).toEqual({ type: 'nothing' })
  })
})
