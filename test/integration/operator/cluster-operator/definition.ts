import type { KubeClient } from '@machinist/kube/client/client'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { until } from '@machinist/testing/until'
import { clusterOperators } from '../../../../src/api/openshift-config.ts'

const text = { type: 'string' }
const object = (properties: object, required: string[] = []): object => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})
const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more })

const condition = object(
  {
    type: text,
    status: text,
    reason: text,
    message: text,
    lastTransitionTime: { ...text, format: 'date-time' },
  },
  ['lastTransitionTime', 'status', 'type'],
)
const relatedObject = object({ group: text, name: text, namespace: text, resource: text }, [
  'group',
  'name',
  'resource',
])
const status = object({
  conditions: list(condition, {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  }),
  extension: { type: 'object', nullable: true, 'x-kubernetes-preserve-unknown-fields': true },
  relatedObjects: list(relatedObject),
  versions: list(object({ name: text, version: text }, ['name', 'version'])),
})

/** The CRD of ClusterOperator in OpenShift. */
const definition = {
  metadata: { name: 'clusteroperators.config.openshift.io' },
  spec: {
    group: 'config.openshift.io',
    scope: 'Cluster',
    names: {
      kind: 'ClusterOperator',
      listKind: 'ClusterOperatorList',
      plural: 'clusteroperators',
      singular: 'clusteroperator',
      shortNames: ['co'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: object({ spec: { type: 'object' }, status }, ['spec']) },
      },
    ],
  },
} as CustomResourceDefinition

export async function installClusterOperators(client: KubeClient): Promise<void> {
  await client.create(customResourceDefinitions, definition)
  await until('ClusterOperators are served', () =>
    client.list(clusterOperators).then(
      () => true,
      () => false,
    ),
  )
}
