import { afterEach, beforeAll, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { coreEvents } from '@machinist/kube/kinds/events'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import {
  machineConfigPools,
  machineConfigs,
  machineOSBuilds,
  machineOSConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { RolloutCluster } from './rollout-cluster.ts'

/** Runs on every API server. Each case has its own pools and nodes. */
export function rolloutCases(client: KubeClient): void {
  let cluster: RolloutCluster

  beforeAll(() => installDefinitions(client))
  afterEach(() => cluster.stop())

  async function poolOf(name: string, size: number, controllers = 1): Promise<void> {
    cluster = new RolloutCluster(client, controllers)
    for (let i = 0; i < size; i++) await cluster.node(`${name}-${i}`, name)
    await cluster.pool(name)
    await cluster.updatedTo(name, 'good-0')
  }

  it('updates all nodes to a new config, one at a time', async () => {
    await poolOf('plain', 4)
    await cluster.aim('plain', { configuration: { name: 'good-1' } })
    await cluster.updatedTo('plain', 'good-1')
    expect(cluster.most.get('plain')).toBe(1)
    const { metadata, status } = await cluster.readPool('plain')
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      machineCount: 4,
      updatedMachineCount: 4,
      readyMachineCount: 4,
      unavailableMachineCount: 0,
      degradedMachineCount: 0,
    })
    await until('no node has the taint any more', async () => {
      const all = await Promise.all([0, 1, 2, 3].map((i) => cluster.readNode(`plain-${i}`)))
      return all.every(({ spec }) => !spec?.taints?.some(({ key }) => key === 'UpdateInProgress'))
    })
  })

  it('stops a bad config at the first node, and recovers when it is reverted', async () => {
    await poolOf('badly', 3)
    await cluster.aim('badly', { configuration: { name: 'bad-1' } })
    expect(await cluster.updating('badly', 'StoppedByFailures')).toBe(
      '0 of 3 nodes are updated to MachineConfig bad-1. Stopped after 1 failed: no further node is updated to bad-1 until the config changes or the nodes recover. Failed: node badly-0 cannot apply bad-1: cannot apply bad-1',
    )
    expect((await cluster.condition('badly', 'Degraded'))?.status).toBe('True')
    await cluster.aim('badly', { configuration: { name: 'good-0' } })
    await cluster.updatedTo('badly', 'good-0')
    expect(cluster.most.get('badly')).toBe(1)
    expect((await cluster.condition('badly', 'Degraded'))?.status).toBe('False')
  })

  it('does not update nodes while the pool is paused', async () => {
    await poolOf('paused', 2)
    await cluster.aim('paused', { paused: true, configuration: { name: 'good-1' } })
    expect(await cluster.updating('paused', 'Paused')).toBe(
      'Pool is paused; will not update to MachineConfig good-1',
    )
    const { metadata } = await cluster.readNode('paused-0')
    expect(metadata.annotations?.['machineconfiguration.openshift.io/desiredConfig']).toBe('good-0')
    await cluster.aim('paused', { paused: false })
    await cluster.updatedTo('paused', 'good-1')
  })

  it('ends a turn from before a crash if the target changed back', async () => {
    await poolOf('revert', 2)
    const { metadata } = await cluster.readNode('revert-0')
    const turns = { 'revert-0': { config: 'good-1', from: metadata.resourceVersion, at: 1 } }
    const annotations = { 'machinist.dev/rollout': JSON.stringify({ turns, took: [] }) }
    await client.patch(
      machineConfigPools,
      { name: 'revert' },
      mergePatch({ metadata: { annotations } }),
    )
    await until('the turn is over', async () => {
      const pool = await cluster.readPool('revert')
      return !pool.metadata.annotations?.['machinist.dev/rollout']?.includes('revert-0')
    })
    expect((await cluster.readNode('revert-0')).metadata.annotations).toMatchObject({
      'machineconfiguration.openshift.io/desiredConfig': 'good-0',
      'machinist.dev/withdrawn-turn': metadata.resourceVersion,
    })
  })

  it('names the node that a user cordoned', async () => {
    await poolOf('cordon', 2)
    const cordon = (unschedulable: boolean) =>
      client.patch(nodes, { name: 'cordon-1' }, mergePatch({ spec: { unschedulable } }))
    await cordon(true)
    await until('it counts as unavailable', async () => {
      return (await cluster.readPool('cordon')).status?.unavailableMachineCount === 1
    })
    await cluster.aim('cordon', { configuration: { name: 'good-1' } })
    await until('the pool is blocked by it', async () => {
      const condition = await cluster.condition('cordon', 'Updating')
      return condition?.message?.includes('good-1') === true && condition.reason === 'Blocked'
    })
    expect((await cluster.condition('cordon', 'Updating'))?.message).toContain(
      'node cordon-1 cordoned by a user',
    )
    await cordon(false)
    await cluster.updatedTo('cordon', 'good-1')
  })

  it('reports a node that two custom pools select, and updates the other nodes', async () => {
    await poolOf('left', 2)
    await cluster.pool('right')
    await cluster.node('shared', 'left', 'right')
    for (const pool of ['left', 'right']) {
      await until(`${pool} has the condition`, async () => {
        return (await cluster.condition(pool, 'SelectionDegraded'))?.status === 'True'
      })
    }
    await cluster.aim('left', { configuration: { name: 'good-1' } })
    await cluster.updatedTo('left', 'good-1')
    expect((await cluster.readPool('left')).status?.machineCount).toBe(2)
    await cluster.flushEvents()
    const events: string[] = []
    for await (const event of client.listAll(coreEvents)) {
      if (event.involvedObject.name === 'shared') events.push(event.reason ?? '')
    }
    expect(events).toContain('NodeInSeveralPools')
  })

  it('waits for the image of a layered pool, sets it, and removes it', async () => {
    await poolOf('layered', 2)
    await cluster.aim('layered', { configuration: { name: 'good-rendered' } })
    await cluster.updatedTo('layered', 'good-rendered')
    const key = { name: 'layered' }
    await client.create(machineOSConfigs, {
      metadata: key,
      spec: {
        machineConfigPool: key,
        imageBuilder: { imageBuilderType: 'Job' },
        renderedImagePushSecret: { name: 'push-secret' },
        renderedImagePushSpec: 'registry.example.com/team/os:latest',
      },
    })
    expect(await cluster.updating('layered', 'WaitingForImage')).toBe(
      'Pool is waiting for a new build of MachineOSConfig layered to start',
    )
    const build = { name: 'layered-1' }
    await client.create(machineOSBuilds, {
      metadata: build,
      spec: {
        machineConfig: { name: 'good-rendered' },
        machineOSConfig: key,
        renderedImagePushSpec: 'registry.example.com/team/os:one',
      },
    })
    await until('it waits for this build', async () => {
      const condition = await cluster.condition('layered', 'Updating')
      return condition?.message === 'Pool is waiting for the build layered-1 to start'
    })
    const image = `registry.example.com/team/os@sha256:${'a'.repeat(64)}`
    const patched = { subresource: 'status' } as const
    const done = {
      type: 'Succeeded',
      status: 'True',
      reason: 'Built',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const built = { conditions: [done], digestedImagePushSpec: image }
    await client.patch(machineOSBuilds, build, mergePatch({ status: built }), patched)
    const status = { currentImagePullSpec: image, observedGeneration: 1 }
    await client.patch(machineOSConfigs, key, mergePatch({ status }), patched)
    const imageOf = async (i: number): Promise<(string | undefined)[]> => {
      const { annotations = {} } = (await cluster.readNode(`layered-${i}`)).metadata
      const domain = 'machineconfiguration.openshift.io'
      return [annotations[`${domain}/desiredImage`], annotations[`${domain}/currentImage`]]
    }
    await until('the pool is updated', async () => {
      const updated = await cluster.condition('layered', 'Updated')
      return (
        updated?.message ===
        `All nodes are updated with MachineConfig good-rendered / Image ${image}`
      )
    })
    expect([await imageOf(0), await imageOf(1)]).toEqual([
      [image, image],
      [image, image],
    ])
    expect(cluster.most.get('layered')).toBe(1)

    await client.remove(machineOSConfigs, key)
    await client.remove(machineOSBuilds, build)
    await until('the pool is no longer layered', async () => {
      const updated = await cluster.condition('layered', 'Updated')
      return updated?.message === 'All nodes are updated with MachineConfig good-rendered'
    })
    expect([await imageOf(0), await imageOf(1)]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  it('labels a machine that booted into a custom pool instead of updating it', async () => {
    await poolOf('elsewhere', 1)
    await cluster.pool('booted', { configuration: { name: 'rendered-booted-1' } })
    const { uid = '' } = (await cluster.readPool('booted')).metadata
    await client.create(machineConfigs, {
      metadata: {
        name: 'rendered-booted-1',
        ownerReferences: [
          {
            apiVersion: 'machineconfiguration.openshift.io/v1',
            kind: 'MachineConfigPool',
            name: 'booted',
            uid,
            controller: true,
          },
        ],
      },
      spec: {},
    })
    const domain = 'machineconfiguration.openshift.io'
    await client.create(nodes, {
      metadata: {
        name: 'newcomer',
        labels: { 'example.com/worker': '' },
        annotations: {
          [`${domain}/firstPivotConfig`]: 'rendered-booted-1',
          [`${domain}/currentConfig`]: 'rendered-booted-1',
          [`${domain}/desiredConfig`]: 'rendered-booted-1',
          [`${domain}/state`]: 'Done',
        },
      },
    })
    await cluster.pool('worker', {
      nodeSelector: { matchLabels: { 'example.com/worker': '' } },
      configuration: { name: 'good-1' },
    })
    await until('it is in its pool', async () => {
      return (await cluster.readPool('booted')).status?.updatedMachineCount === 1
    })
    const { labels, annotations } = (await cluster.readNode('newcomer')).metadata
    expect(labels).toEqual({ 'example.com/worker': '', 'example.com/booted': '' })
    expect(annotations?.[`${domain}/customPoolLabelsApplied`]).toBe('')
    expect(annotations?.[`${domain}/desiredConfig`]).toBe('rendered-booted-1')
  })

  it('keeps the budget with two active leaders', async () => {
    await poolOf('double', 6, 2)
    await cluster.aim('double', { maxUnavailable: 2, configuration: { name: 'good-1' } })
    await cluster.updatedTo('double', 'good-1')
    expect(cluster.most.get('double')).toBeLessThanOrEqual(2)
  })
}
