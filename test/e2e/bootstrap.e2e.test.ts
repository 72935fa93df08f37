import { afterAll, beforeAll, expect, it } from 'vitest'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import {
  kubeletConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../src/api/kinds/resources.ts'
import { bootstrap } from '../../src/bootstrap/bootstrap.ts'
import { loadTemplates } from '../../src/process/templates.ts'
import { version } from '../../src/process/version.ts'
import { applyFile, example, rendered, RunningCluster, settled } from './running-cluster.ts'

/** Two nodes per worker pool, so that drained pods find another node. */
const size = new Map([
  ['master', 1],
  ['worker', 2],
  ['infra', 2],
])

let cluster: RunningCluster
beforeAll(async () => {
  cluster = await RunningCluster.start({ size })
  for (const [pool, count] of size) await settled(cluster.client, pool, count)
})
afterAll(() => cluster.stop())

/** All objects of a kind, as `kubectl get -o json` prints them. */
async function exported<T extends KubeObject>(resource: Resource<T>): Promise<string> {
  const { items } = await cluster.client.list<KubeObject>(resource)
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind }
  const typed = items.map((item) => Object.assign({}, item, type))
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: typed })
}

it('the objects of a running cluster give the configs that its nodes run', async () => {
  const target = async (pool: string): Promise<string> =>
    (await cluster.client.get(machineConfigPools, { name: pool })).spec.configuration?.name ?? ''
  const before = await target('worker')
  await applyFile(cluster, example('kubelet-config'))
  await applyFile(cluster, example('without-reboot'))
  await rendered(cluster.client, 'worker', before)
  for (const [pool, count] of size) await settled(cluster.client, pool, count)
  const kinds = [configMaps, secrets, machineConfigPools, machineConfigs, kubeletConfigs]
  const files = new Map<string, string>()
  for (const kind of kinds) files.set(`${kind.plural}.json`, await exported<KubeObject>(kind))
  const result = await bootstrap(
    {
      files,
      templates: await loadTemplates(),
      version,
      release: 'main',
      timeoutMs: 120_000,
      progress: () => {},
    },
    new AbortController().signal,
  )
  expect(result).toMatchObject({
    type: 'rendered',
    pools: new Map([
      ['infra', await target('infra')],
      ['master', await target('master')],
      ['worker', await target('worker')],
    ]),
  })
})
