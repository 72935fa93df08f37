import { afterEach, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { coreEvents } from '@machinist/kube/kinds/events'
import { nodes } from '@machinist/kube/kinds/core'
import { until } from '@machinist/testing/until'
import { emptyControllerConfigSpec } from '../../../../src/api/kinds/new-controller-config.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
} from '../../../../src/api/kinds/resources.ts'
import { roleLabelsController } from '../../../../src/controllers/role-labels/role-labels.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { onEmbeddedServer } from '../../../support/on-embedded-server.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'

const domain = 'machineconfiguration.openshift.io'
const role = (name: string): string => `node-role.kubernetes.io/${name}`

await onEmbeddedServer('the role labels controller', (client: KubeClient) => {
  let running: RunningControllers
  afterEach(() => running.stop())

  const pool = async (name: string): Promise<void> => {
    const { metadata } = await client.create(machineConfigPools, {
      metadata: { name },
      spec: { nodeSelector: { matchLabels: { [role(name)]: '' } } },
    })
    const { uid = '' } = metadata
    const owner = { apiVersion: `${domain}/v1`, kind: 'MachineConfigPool', name, uid }
    await client.create(machineConfigs, {
      metadata: { name: `rendered-${name}-1`, ownerReferences: [{ ...owner, controller: true }] },
      spec: {},
    })
  }
  const join = async (name: string, booted: string): Promise<void> => {
    const annotations = { [`${domain}/firstPivotConfig`]: `rendered-${booted}-1` }
    await client.create(nodes, { metadata: { name, annotations } })
  }

  it('labels workers, and leaves the control plane to an administrator', async () => {
    await installDefinitions(client)
    await client.create(controllerConfigs, {
      metadata: {
        name: 'machine-config-controller',
        annotations: { 'machinist.dev/distribution': 'kubernetes' },
      },
      spec: { ...emptyControllerConfigSpec, clusterDNSIP: '10.96.0.10', ipFamilies: 'IPv4' },
    })
    await pool('worker')
    await pool('master')
    running = new RunningControllers(client, (given) => {
      const { follow } = given
      const caches = {
        nodes: follow(nodes),
        pools: follow(machineConfigPools),
        machineConfigs: follow(machineConfigs),
        controllerConfigs: follow(controllerConfigs),
      }
      return roleLabelsController(given, caches)
    })
    await join('m0', 'master')
    await join('w0', 'worker')
    await until('the worker is labelled', async () => {
      const { labels = {} } = (await client.get(nodes, { name: 'w0' })).metadata
      return role('worker') in labels
    })
    const { annotations } = (await client.get(nodes, { name: 'w0' })).metadata
    expect(annotations?.[`${domain}/customPoolLabelsApplied`]).toBe('')
    const messages = async (): Promise<(string | undefined)[]> => {
      const { items } = await client.list(coreEvents, { namespace: 'default' })
      return items
        .filter(({ reason }) => reason === 'NoPoolSelectsNode')
        .map(({ message }) => message)
    }
    await until('the event is emitted', async () => (await messages()).length > 0)
    expect(await messages()).toEqual([
      'No MachineConfigPool selects node m0, which runs MachineConfig rendered-master-1 of pool master: it gets no updates. Run: kubectl label node m0 node-role.kubernetes.io/master=',
    ])
    const { labels = {} } = (await client.get(nodes, { name: 'm0' })).metadata
    expect(labels).not.toHaveProperty(role('master'))
  })
})
