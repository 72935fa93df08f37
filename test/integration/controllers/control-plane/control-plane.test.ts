import { afterEach, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { schedulers } from '../../../../src/api/openshift-config.ts'
import { controlPlaneController } from '../../../../src/controllers/control-plane/control-plane.ts'
import { installLooseKinds } from '../../../../src/api/definitions/definitions.fixture.ts'
import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'

const role = (name: string): string => `node-role.kubernetes.io/${name}`

await onEmbeddedServer('the control plane controller', (client: KubeClient) => {
  let running: RunningControllers
  afterEach(() => running.stop())

  const run = (): void => {
    running = new RunningControllers(client, (given) => {
      const { follow } = given
      const caches = { nodes: follow(nodes), schedulers: follow(schedulers, { isOptional: true }) }
      return controlPlaneController(given, caches)
    })
  }
  const marks = async (): Promise<string> => {
    const { metadata, spec } = await client.get(nodes, { name: 'master-0' })
    // A new node also has the taint not-ready.
    const ours = spec?.taints?.filter(({ key }) => key.startsWith('node-role.')) ?? []
    const taints = ours.map(({ key, effect }) => `${key}:${effect}`)
    return [...Object.keys(metadata.labels ?? {}).sort(), ...taints].join(' ')
  }

  it('adds the control-plane label without a Scheduler', async () => {
    await client.create(nodes, {
      metadata: { name: 'master-0', labels: { [role('master')]: '' } },
    })
    run()
    const expected = `${role('control-plane')} ${role('master')}`
    await until('it has both labels', async () => (await marks()).includes('control-plane'))
    expect(await marks()).toBe(expected)
  })

  it('follows the Scheduler', async () => {
    await installLooseKinds(client, [schedulers])
    await client.create(schedulers, {
      metadata: { name: 'cluster' },
      spec: { mastersSchedulable: false },
    })
    run()
    const both = `${role('control-plane')} ${role('master')}`
    await until('the node is tainted', async () => {
      return (await marks()) === `${both} ${role('master')}:NoSchedule`
    })
    const spec = { mastersSchedulable: true }
    await client.patch(schedulers, { name: 'cluster' }, mergePatch({ spec }))
    await until(
      'the node is schedulable',
      async () => (await marks()) === `${both} ${role('worker')}`,
    )
    await client.patch(
      nodes,
      { name: 'master-0' },
      mergePatch({ metadata: { labels: { [role('worker')]: null } } }),
    )
    await until(
      'the label is repaired',
      async () => (await marks()) === `${both} ${role('worker')}`,
    )
    expect(await marks()).toBe(`${both} ${role('worker')}`)
  })
})
