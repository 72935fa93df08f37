import { beforeAll } from 'vitest'
import { emptySpec } from '../../../src/api/new-controller-config.ts'
import {
  controllerConfigs,
  machineConfigNodes,
  machineConfigPools,
  nodeTrusts,
} from '../../../src/api/resources.ts'
import { newMachineConfigNode } from '../../../src/api/new-machine-config-node.ts'
import { makeObject } from '../../../src/devcluster/stand-ins/make-object.ts'
import { nodes } from '@machinist/kube/kinds/core'
import type { Stage } from './stage.ts'

/** What has to be there for somebody to lay hands on: two nodes and what they told, unless the story has brought them. */
export function bystanders(stage: () => Stage): void {
  beforeAll(async () => {
    const { client } = stage()
    await makeObject(client, controllerConfigs, {
      metadata: { name: 'machine-config-controller' },
      spec: emptySpec,
    })
    await makeObject(client, machineConfigPools, {
      metadata: { name: 'worker' },
      spec: {
        machineConfigSelector: {
          matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' },
        },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
      },
    })
    for (const name of ['worker-0', 'worker-1']) {
      await makeObject(client, nodes, { metadata: { name } })
      const { uid } = (await client.get(nodes, { name })).metadata
      await makeObject(client, machineConfigNodes, newMachineConfigNode({ name, uid }))
      await makeObject(client, nodeTrusts, { metadata: { name } })
    }
  })
}
