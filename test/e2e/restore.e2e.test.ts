import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { machineConfigPools, machineConfigs } from '../../src/api/kinds/resources.ts'
import type { Cluster } from '../../src/devcluster/cluster.ts'
import { startCluster } from '../../src/devcluster/cluster.ts'
import { bootIds, currentConfig, nodesOf, settled, targetOf } from './running-cluster.ts'
import { until } from './until.ts'

const directory = mkdtempSync(join(tmpdir(), 'machinist-restore-'))
const data = join(directory, 'data')
const backup = join(directory, 'backup')
let cluster: Cluster | undefined
afterAll(async () => {
  await cluster?.stop()
  rmSync(directory, { recursive: true, force: true })
}, 60_000)

const start = (): Promise<Cluster> => startCluster({ data, speed: 40, log: silentLogger })
const counts = { master: 3, worker: 4, infra: 2 } as const
const pools = ['master', 'worker', 'infra'] as const

/** Copies the data of the API server: everything but the disks of the nodes. */
function copyApi(from: string, to: string): void {
  for (const entry of readdirSync(from)) {
    if (entry === 'nodes') continue
    rmSync(join(to, entry), { recursive: true, force: true })
    cpSync(join(from, entry), join(to, entry), { recursive: true })
  }
}

/** Records the maximum number of nodes of each pool that were cordoned at once. */
function watchCordons({ caches }: Cluster): Map<string, number> {
  const maxCordoned = new Map<string, number>()
  const cordoned = new Set<string>()
  const poolIn = (name: string): string => name.replace(/-\d+$/, '')
  caches.nodes.subscribe(({ type, object: { metadata, spec } }) => {
    if (type !== 'deleted' && spec?.unschedulable) cordoned.add(metadata.name)
    else cordoned.delete(metadata.name)
    const pool = poolIn(metadata.name)
    const now = [...cordoned].filter((name) => poolIn(name) === pool).length
    maxCordoned.set(pool, Math.max(maxCordoned.get(pool) ?? 0, now))
  })
  return maxCordoned
}

async function motd({ client }: Cluster, name: string, pool: string): Promise<void> {
  const files = [{ path: '/etc/motd', mode: 420, contents: { source: `data:,${name}` } }]
  await client.create(machineConfigs, {
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': pool } },
    spec: { config: { ignition: { version: '3.4.0' }, storage: { files } } },
  })
}

async function allSettled({ client }: Cluster): Promise<void> {
  for (const pool of pools) await settled(client, pool, counts[pool])
}

describe('a cluster whose API is restored to an older state than its nodes', () => {
  it('disrupts no node at first, and then rolls out the restored configs within the budget', async () => {
    cluster = await start()
    const patch = mergePatch({ spec: { maxUnavailable: 2 } })
    await cluster.client.patch(machineConfigPools, { name: 'worker' }, patch)
    await allSettled(cluster)
    const old = await targetOf(cluster.client, 'worker')
    await cluster.stop()
    cpSync(data, backup, { recursive: true, filter: (path) => path !== join(data, 'nodes') })
    cluster = await start()
    await motd(cluster, '70-worker', 'worker')
    await motd(cluster, '70-master', 'master')
    const changed = cluster
    await until('the new configs are rendered', async () => {
      return (await targetOf(changed.client, 'worker')) !== old
    })
    await allSettled(cluster)
    const lost = await targetOf(cluster.client, 'worker')
    await cluster.stop()

    copyApi(backup, data)
    cluster = await start()
    const maxCordoned = watchCordons(cluster)
    const { client } = cluster
    const boots = bootIds(await nodesOf(client, 'worker'))
    await until('every node reported that its disk is ahead', async () => {
      const { items } = await client.list(coreEvents, { namespace: 'default' })
      const ahead = items.filter(({ reason }) => reason === 'DiskAheadOfNode')
      return new Set(ahead.map(({ involvedObject }) => involvedObject.name)).size === 9
    })
    await allSettled(cluster)
    const workers = await nodesOf(client, 'worker')
    expect(workers.map(currentConfig)).toEqual(workers.map(() => old))
    expect(lost).not.toBe(old)
    expect(bootIds(workers).some((id) => boots.includes(id))).toBe(false)
    expect(maxCordoned.get('worker')).toBeLessThanOrEqual(2)
    expect(maxCordoned.get('infra')).toBe(1)
    expect(maxCordoned.get('master')).toBe(1)
  }, 240_000)
})
