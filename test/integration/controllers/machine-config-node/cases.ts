import { afterEach, beforeAll, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import type { MachineConfigNode } from '../../../../src/api/kinds/resources.ts'
import { machineConfigNodes, machineConfigPools } from '../../../../src/api/kinds/resources.ts'
import { machineConfigNodeController } from '../../../../src/controllers/machine-config-node/machine-config-node.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'

const domain = 'machineconfiguration.openshift.io'
const label = (role: string): string => `node-role.kubernetes.io/${role}`

/** Runs on every API server. */
export function machineConfigNodeCases(client: KubeClient): void {
  let running: RunningControllers

  beforeAll(async () => {
    await installDefinitions(client)
    for (const name of ['worker', 'infra']) {
      const nodeSelector = { matchLabels: { [label(name)]: '' } }
      await client.create(machineConfigPools, { metadata: { name }, spec: { nodeSelector } })
    }
  })
  afterEach(() => running.stop())

  const run = (): void => {
    running = new RunningControllers(client, (given) => {
      const { follow } = given
      const caches = {
        nodes: follow(nodes),
        pools: follow(machineConfigPools),
        machineConfigNodes: follow(machineConfigNodes),
      }
      return machineConfigNodeController(given, caches)
    })
  }
  const newNode = async (name: string, ...roles: readonly string[]): Promise<string> => {
    const made = await client.create(nodes, {
      metadata: {
        name,
        labels: Object.fromEntries(roles.map((role) => [label(role), ''])),
        annotations: { [`${domain}/desiredConfig`]: 'rendered-worker-1' },
      },
    })
    return made.metadata.uid!
  }
  const all = async (): Promise<MachineConfigNode[]> =>
    (await client.list(machineConfigNodes)).items
  const find = async (name: string): Promise<MachineConfigNode | undefined> =>
    (await all()).find(({ metadata }) => metadata.name === name)
  const untilSpec = (name: string, pool: string, desired: string): Promise<void> =>
    until(`${name} is in ${pool} with desired config ${desired}`, async () => {
      const spec = (await find(name))?.spec
      return spec?.pool.name === pool && spec.configVersion.desired === desired
    })

  it('is created with its node, follows pool and config, and is deleted with it', async () => {
    run()
    const uid = await newNode('follows', 'worker')
    await untilSpec('follows', 'worker', 'rendered-worker-1')
    expect((await find('follows'))?.metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Node', name: 'follows', uid },
    ])
    const metadata = {
      labels: { [label('infra')]: '' },
      annotations: { [`${domain}/desiredConfig`]: 'rendered-infra-1' },
    }
    await client.patch(nodes, { name: 'follows' }, mergePatch({ metadata }))
    await untilSpec('follows', 'infra', 'rendered-infra-1')
    await client.remove(nodes, { name: 'follows' })
    await until('it is deleted', async () => (await find('follows')) === undefined)
  })

  it('keeps the status of its daemon when its node becomes the owner', async () => {
    const status = {
      conditions: [
        {
          type: 'Updated',
          status: 'True' as const,
          reason: 'Updated',
          message: 'x',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    }
    const key = { name: 'adopted' }
    await client.create(machineConfigNodes, {
      metadata: key,
      spec: {
        node: key,
        pool: { name: 'not-yet-set' },
        configVersion: { desired: 'not-yet-set' },
      },
    })
    await client.patch(machineConfigNodes, key, mergePatch({ status }), { subresource: 'status' })
    const uid = await newNode('adopted', 'worker')
    run()
    await untilSpec('adopted', 'worker', 'rendered-worker-1')
    const { metadata, status: kept } = await client.get(machineConfigNodes, key)
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Node', name: 'adopted', uid },
    ])
    expect(kept).toEqual(status)
  })

  it('follows the selectors of pools, is repaired after a change, and is recreated after a deletion', async () => {
    run()
    await newNode('moved', 'gpu')
    await untilSpec('moved', 'not-yet-set', 'rendered-worker-1')
    const nodeSelector = { matchLabels: { [label('gpu')]: '' } }
    await client.create(machineConfigPools, { metadata: { name: 'gpu' }, spec: { nodeSelector } })
    await untilSpec('moved', 'gpu', 'rendered-worker-1')
    const spec = { pool: { name: 'infra' } }
    await client.patch(machineConfigNodes, { name: 'moved' }, mergePatch({ spec }))
    await untilSpec('moved', 'gpu', 'rendered-worker-1')
    const before = (await find('moved'))?.metadata.uid
    await client.remove(machineConfigNodes, { name: 'moved' })
    await until('it exists again', async () => {
      const uid = (await find('moved'))?.metadata.uid
      return uid !== undefined && uid !== before
    })
    expect((await find('moved'))?.spec.pool).toEqual({ name: 'gpu' })
  })

  it('is not written without changes', async () => {
    run()
    await newNode('quiet', 'worker')
    await untilSpec('quiet', 'worker', 'rendered-worker-1')
    const before = await find('quiet')
    const metadata = { annotations: { 'example.com/heartbeat': '1' } }
    await client.patch(nodes, { name: 'quiet' }, mergePatch({ metadata }))
    // A later write for another node proves that the change was processed.
    await newNode('other', 'worker')
    await untilSpec('other', 'worker', 'rendered-worker-1')
    expect((await find('quiet'))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion)
  })
}
