import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { ignoreNotFound } from '@machinist/kube/failure'
import { nodes } from '@machinist/kube/kinds/core'
import { LeaseElection } from '@machinist/kube/leases/lease-election'
import { machineConfigs, nodeTrusts } from '../../../src/api/kinds/resources.ts'
import { parseSize, plannedNodes } from '../../../src/devcluster/size/cluster-size.ts'
import { registerNode, reportHealth } from '../../../src/devcluster/nodes/node-object.ts'
import { Machine } from '../daemon/cluster/machine.ts'
import { config, quietFile } from '../daemon/follow/facts.ts'
import type { TrustCluster } from '../trust/cluster.ts'
import { clientAs } from './scenario.ts'
import { namespace } from './identities.ts'
import type { Stage } from './stage.ts'

/** A daemon that runs before the controllers: it creates the objects that the controllers would create. */
export async function firstDaemon(stage: Stage): Promise<void> {
  const name = 'first'
  const own = {
    client: clientAs(stage, `daemon ${name}`),
    nodeClient: clientAs(stage, `kubelet ${name}`),
  }
  const machine = new Machine(stage.client, name, { ...own, rules: 'policy' })
  const first = config('first-1', { [quietFile]: 'first' })
  await stage.client.create(machineConfigs, first)
  await machine.joined(first)
  machine.start()
  await machine.untilDone('first-1')
  // Report the same drift twice: it becomes one event with a count.
  for (const _ of [1, 2]) {
    await machine.put(quietFile, 'another writer')
    await machine.untilAnnotation('state', 'Degraded', 60_000)
    await machine.put(quietFile, 'first')
    await machine.untilDone('first-1')
  }
  await machine.desire(config('first-2', { [quietFile]: '{}' }))
  await machine.untilDone('first-2')
  await machine.stop()
  // The controllers delete its reports.
  await stage.client.remove(nodes, { name })
}

/** A new Node with the name of a deleted one, as when a machine is reinstalled. */
export async function replacedNode({ client }: Stage, cluster: TrustCluster): Promise<void> {
  const name = 'worker-1'
  const node = cluster.node(name)
  await node.powerOff()
  await client.remove(nodes, { name })
  const planned = plannedNodes(parseSize('3,2')).find((each) => each.name === name)!
  await registerNode(client, planned)
  const health = { ready: 'True' as const, why: 'it is', bootId: 'another' }
  await reportHealth(client, cluster.time.clock, planned, health)
  await node.powerOn()
  const { metadata } = await client.get(nodes, { name })
  await cluster.time.until('the daemon reports for the new Node', async () => {
    const trust = await ignoreNotFound(client.get(nodeTrusts, { name }))
    return trust?.metadata.ownerReferences?.[0]?.uid === metadata.uid
  })
  await cluster.time.until('the new Node runs its config', () => cluster.isUpdated('worker'))
}

/** Leader election: each component acquires, holds and releases its Lease. */
export async function leaderElection(stage: Stage): Promise<void> {
  const tools = {
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: new Metrics(),
  }
  const never = new AbortController().signal
  for (const [part, name] of [
    ['operator', 'machine-config'],
    ['controllers', 'machine-config-controller'],
    ['signer', 'machinist-signer'],
  ] as const) {
    const api = clientAs(stage, part)
    const election = new LeaseElection({
      ...tools,
      api,
      lease: { namespace, name },
      identity: part,
    })
    await election.hold(never, async () => {})
  }
}
