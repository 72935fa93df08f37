import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { configMaps, nodes, secrets } from '@machinist/kube/kinds/core'
import { clusterOperators } from '../../../../src/api/openshift-config.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import type { MachineConfigPool } from '../../../../src/api/kinds/resources.ts'

const wholeKinds: readonly Resource[] = [
  api.controllerConfigs,
  api.machineConfigs,
  api.machineConfigurations,
  api.machineConfigNodes,
  api.kubeletConfigs,
  api.containerRuntimeConfigs,
  api.nodeTrusts,
  clusterOperators,
  nodes,
]
const namespaces = [
  'openshift-config',
  'openshift-config-managed',
  'openshift-machine-api',
  'openshift-machine-config-operator',
]

/**
 * Every object that MCO or Machinist may write, as text, with resourceVersions, so that every write is visible. Pools are compared
 * without resourceVersion and without the condition machinist.dev/Held.
 */
export async function clusterSnapshot(client: KubeClient): Promise<Record<string, string>> {
  const lists = await Promise.all([
    ...wholeKinds.map(async (kind) => listOf(kind, (await client.list(kind)).items)),
    ...namespaces.flatMap((namespace) =>
      [configMaps, secrets].map(async (kind) =>
        listOf(kind, (await client.list<KubeObject>(kind, { namespace })).items),
      ),
    ),
    client.list(api.machineConfigPools).then(({ items }) => {
      return listOf(api.machineConfigPools, items.map(withoutHeld))
    }),
  ])
  return Object.fromEntries(lists.flat())
}

function listOf({ kind }: Resource, objects: readonly object[]): (readonly [string, string])[] {
  return objects.map((object) => {
    const { metadata } = object as KubeObject
    const where = metadata.namespace === undefined ? '' : `${metadata.namespace}/`
    return [`${kind} ${where}${metadata.name}`, JSON.stringify(object)]
  })
}

function withoutHeld({ metadata, spec, status }: MachineConfigPool): object {
  const { resourceVersion: _, managedFields: __, ...kept } = metadata
  const conditions = status?.conditions?.filter(({ type }) => type !== 'machinist.dev/Held')
  return { metadata: kept, spec, status: { ...status, conditions } }
}
