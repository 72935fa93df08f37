import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { AggregationWorker } from '../../src/workers/aggregations.ts'
import { VerbServer } from './verb-server.ts'

let server: VerbServer
let worker: AggregationWorker

beforeEach(async () => {
  server = await VerbServer.start()
  worker = new AggregationWorker(server.context, silentLogger)
})

afterEach(() => worker.stop())

const rule = (resource: string): object => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: [resource],
})

const role = (name: string, to: string, ...resources: string[]): Promise<unknown> =>
  server.create('ClusterRole', {
    metadata: { name, labels: { to } },
    rules: resources.map(rule),
  })

const collecting = (name: string, from: string, to = 'nobody'): Promise<unknown> =>
  server.create('ClusterRole', {
    metadata: { name, labels: { to } },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: from } }] },
  })

async function rules(name: string): Promise<unknown> {
  for (let i = 0; i < 5; i++) await server.clock.advance(0)
  return server.read('ClusterRole', name)['rules']
}

describe('an aggregating cluster role', () => {
  it('has the rules of other roles, and loses them with the roles', async () => {
    await collecting('all', 'all')
    expect(await rules('all')).toBeNull()
    await role('nodes', 'all', 'nodes')
    await role('pods', 'all', 'pods')
    await role('secrets', 'others', 'secrets')
    expect(await rules('all')).toEqual([rule('nodes'), rule('pods')])
    await server.remove('ClusterRole', 'nodes')
    expect(await rules('all')).toEqual([rule('pods')])
    const { metadata } = server.read('ClusterRole', 'secrets')
    await server.update('ClusterRole', 'secrets', {
      metadata: { ...metadata, labels: { to: 'all' } },
    })
    expect(await rules('all')).toEqual([rule('pods'), rule('secrets')])
  })

  it('includes rules of another aggregating role', async () => {
    await collecting('all', 'top')
    await collecting('some', 'bottom', 'top')
    await role('pods', 'bottom', 'pods')
    expect(await rules('all')).toEqual([rule('pods')])
  })

  it('loses rules of its own', async () => {
    await role('pods', 'all', 'pods')
    await collecting('all', 'all')
    await rules('all')
    await server.update('ClusterRole', 'all', { rules: [rule('everything')] })
    expect(await rules('all')).toEqual([rule('pods')])
  })

  it('has rules owned by the aggregation controller', async () => {
    await role('pods', 'all', 'pods')
    await collecting('all', 'all')
    await rules('all')
    expect(server.read('ClusterRole', 'all').metadata.managedFields).toContainEqual({
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
    const { revision } = server.store
    await role('others', 'others', 'secrets')
    await rules('all')
    expect(server.store.revision).toBe(revision + 1)
  })
})
