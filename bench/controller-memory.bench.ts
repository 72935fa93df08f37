import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { silentLogger } from '@machinist/core/log'
import { base64Source } from '@machinist/ignition/content'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { bundle } from '../scripts/bundle.ts'
import { nodeAnnotations } from '../src/api/annotations.ts'
import { machineConfigPools, machineConfigs } from '../src/api/kinds/resources.ts'
import { startCluster } from '../src/devcluster/cluster.ts'
import { parseSize } from '../src/devcluster/size/cluster-size.ts'
import { realisticNode } from './bench-nodes.ts'
import { megabytesOf, processorSecondsOf } from './process-memory.ts'
import { printTable } from './table.ts'

/**
 * Memory of the controllers by Nodes and MachineConfigs: after the first rendering and the first turns, and after 20 changes of
 * a MachineConfig. The process is the bundle of the images with their flags. Arguments are `nodes,configs` pairs.
 */
const requested = process.argv.slice(2).map((pair) => pair.split(',').map(Number))
const sizes =
  requested.length > 0
    ? requested
    : [
        [100, 30],
        [100, 300],
        [1000, 300],
        [5000, 300],
      ]
const changes = 20
const restMs = 15_000

const directory = mkdtempSync(join(tmpdir(), 'controller-memory-'))
try {
  await bundle(directory, 'cluster')
  const rows = []
  for (const [count = 0, configs = 0] of sizes) rows.push(await measure(count, configs))
  printTable('memory of the controllers by nodes and MachineConfigs', rows)
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function measure(count: number, configs: number): Promise<Record<string, string | number>> {
  const data = mkdtempSync(join(tmpdir(), 'controller-memory-data-'))
  const size = parseSize('1')
  // All components except the controllers: API server, operator, signer and a control plane node.
  const cluster = await startCluster({ data, size, controllers: false, log: silentLogger })
  const { client } = cluster
  let child: ChildProcess | undefined
  try {
    await prepare(client, configs)
    const args = [
      'controller',
      '--kubeconfig',
      cluster.api.kubeconfig,
      '--no-leader-election',
      '--render-window',
      '0',
    ]
    child = spawn(join(directory, 'machinist'), args, { stdio: 'ignore' })
    const pid = child.pid!
    await until('the pool is rendered', async () => (await target(client)) !== undefined, 120_000)
    await addNodes(client, count)
    await pause(restMs)
    const settled = megabytesOf(pid, 'VmRSS')
    for (let change = 1; change <= changes; change++) {
      const before = await target(client)
      const spec = specOf(7, `change ${change}`)
      await client.patch(machineConfigs, { name: nameOf(7) }, mergePatch({ spec }))
      await until('rendered again', async () => (await target(client)) !== before, 120_000)
    }
    await pause(restMs)
    return {
      nodes: count,
      MachineConfigs: configs,
      'RSS, MB': settled.toFixed(0),
      [`after ${changes} changes`]: megabytesOf(pid, 'VmRSS').toFixed(0),
      'of it own': megabytesOf(pid, 'RssAnon').toFixed(0),
      peak: megabytesOf(pid, 'VmHWM').toFixed(0),
      'processor, s': processorSecondsOf(pid).toFixed(1),
    }
  } finally {
    if (child) {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    }
    await cluster.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

async function target(client: KubeClient): Promise<string | undefined> {
  return (await client.get(machineConfigPools, { name: 'worker' })).spec.configuration?.name
}

async function prepare(client: KubeClient, configs: number): Promise<void> {
  const labels = { 'machineconfiguration.openshift.io/role': 'worker' }
  for (let i = 0; i < configs; i++) {
    const metadata = { name: nameOf(i), labels }
    await client.create(machineConfigs, { metadata, spec: specOf(i, 'first') })
  }
  const budget = mergePatch({ spec: { maxUnavailable: '10%' } })
  await client.patch(machineConfigPools, { name: 'worker' }, budget)
}

/** Nodes that run the rendered config of the pool. */
async function addNodes(client: KubeClient, count: number): Promise<void> {
  const config = (await target(client))!
  const annotations = {
    [nodeAnnotations.currentConfig]: config,
    [nodeAnnotations.desiredConfig]: config,
    [nodeAnnotations.state]: 'Done',
  }
  for (let i = 0; i < count; i++) {
    const node = realisticNode(i) as Node
    await client.create(nodes, { ...node, metadata: { ...node.metadata, annotations } })
  }
}

function nameOf(i: number): string {
  return `50-worker-${String(i).padStart(4, '0')}`
}

/** Ten small files: a rendered config of 300 such MachineConfigs has about 1.2 MB; the limit of etcd is 1.5 MB. */
function specOf(i: number, text: string): object {
  const source = base64Source(`${i} ${text} ${'x'.repeat(180)}`)
  const files = Array.from({ length: 10 }, (_, at) => ({
    path: `/etc/set-${i}/file-${at}`,
    mode: 420,
    contents: { source },
  }))
  return { config: { ignition: { version: '3.2.0' }, storage: { files } } }
}
