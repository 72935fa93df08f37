import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AggregationWorker } from '../../src/workers/aggregations.ts'
import { silentLogger } from '@machinist/core/log'
import { World } from './world.ts'

let world: World
let worker: AggregationWorker

beforeEach(async () => {
  world = await World.begun()
  worker = new AggregationWorker(world.context, silentLogger)
})

afterEach(() => worker.stop())

const rule = (resource: string): object => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: [resource],
})

const role = (name: string, to: string, ...resources: string[]): Promise<unknown> =>
  world.create('ClusterRole', {
    metadata: { name, labels: { to } },
    rules: resources.map(rule),
  })

const collecting = (name: string, from: string, to = 'nobody'): Promise<unknown> =>
  world.create('ClusterRole', {
    metadata: { name, labels: { to } },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: from } }] },
  })

async function rules(name: string): Promise<unknown> {
  for (let i = 0; i < 5; i++) await world.clock.advance(0)
  return world.read('ClusterRole', name)['rules']
}

describe('a cluster role that collects others', () => {
  it('has their rules, and loses them with them', async () => {
    await collecting('all', 'all')
    expect(await rules('all')).toBeNull()
    await role('nodes', 'all', 'nodes')
    await role('pods', 'all', 'pods')
    await role('secrets', 'others', 'secrets')
    expect(await rules('all')).toEqual([rule('nodes'), rule('pods')])
    await world.remove('ClusterRole', 'nodes')
    expect(await rules('all')).toEqual([rule('pods')])
    const { metadata } = world.read('ClusterRole', 'secrets')
    await world.update('ClusterRole', 'secrets', {
      metadata: { ...metadata, labels: { to: 'all' } },
    })
    expect(await rules('all')).toEqual([rule('pods'), rule('secrets')])
  })

  it('has what another one has collected', async () => {
    await collecting('all', 'top')
    await collecting('some', 'bottom', 'top')
    await role('pods', 'bottom', 'pods')
    expect(await rules('all')).toEqual([rule('pods')])
  })

  it('has no rules of its own for long', async () => {
    await role('pods', 'all', 'pods')
    await collecting('all', 'all')
    await rules('all')
    await world.update('ClusterRole', 'all', { rules: [rule('everything')] })
    expect(await rules('all')).toEqual([rule('pods')])
  })

  it('belongs, as far as its rules go, to the one who collects', async () => {
    await role('pods', 'all', 'pods')
    await collecting('all', 'all')
    await rules('all')
    expect(world.read('ClusterRole', 'all').metadata.managedFields).toContainEqual({
      manager: 'clusterrole-aggregation-controller',
      operation: 'Apply',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:rules': {} },
    })
  })

  it('is written only when its rules change', async () => {
    await role('pods', 'all', 'pods')
    await collecting('all', 'all')
    await rules('all')
    const { revision } = world.store
    await role('others', 'others', 'secrets')
    await rules('all')
    expect(world.store.revision).toBe(revision + 1)
  })
})
