import { beforeAll } from 'vitest'
import { nodes } from '@machinist/kube/kinds/core'
import { emptyControllerConfigSpec } from '../../../src/api/kinds/new-controller-config.ts'
import {
  controllerConfigs,
  machineConfigNodes,
  machineConfigPools,
  nodeTrusts,
} from '../../../src/api/kinds/resources.ts'
import { newMachineConfigNode } from '../../../src/api/kinds/new-machine-config-node.ts'
import { createIfMissing } from '../../../src/devcluster/objects/create-object.ts'
import type { Stage } from './stage.ts'

/** Creates the objects that the attempts target, unless earlier scenarios have: two nodes and their reports. */
export function createTargets(stage: () => Stage): void {
  beforeAll(async () => {
    const { client } = stage()
    await createIfMissing(client, controllerConfigs, {
      metadata: { name: 'machine-config-controller' },
      spec: emptyControllerConfigSpec,
    })
    await createIfMissing(client, machineConfigPools, {
      metadata: { name: 'worker' },
      spec: {
        machineConfigSelector: {
          matchLabels: { 'machineconfiguration.openshift.io/role': 'worker' },
        },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/worker': '' } },
      },
    })
    for (const name of ['worker-0', 'worker-1']) {
      await createIfMissing(client, nodes, { metadata: { name } })
      const { uid } = (await client.get(nodes, { name })).metadata
      await createIfMissing(client, machineConfigNodes, newMachineConfigNode({ name, uid }))
      await createIfMissing(client, nodeTrusts, { metadata: { name } })
    }
  })
}
