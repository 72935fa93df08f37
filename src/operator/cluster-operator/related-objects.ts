import type { Resource } from '@machinist/core/objects/resource'
import { namespaces, nodes } from '@machinist/kube/kinds/core'
import type { ClusterOperatorStatus } from '../../api/openshift-config.ts'
import * as api from '../../api/kinds/resources.ts'

type RelatedObject = NonNullable<ClusterOperatorStatus['relatedObjects']>[number]

/** Namespaces of the infrastructure services of platforms without a load balancer. */
const infraNamespaces = [
  'openshift-kni-infra',
  'openshift-openstack-infra',
  'openshift-ovirt-infra',
  'openshift-vsphere-infra',
  'openshift-nutanix-infra',
  'openshift-cloud-platform-infra',
]

/** The objects to collect for debugging; without a name, all of a kind. */
export function relatedObjects(namespace: string): RelatedObject[] {
  return [
    related(namespaces, namespace),
    related(api.machineConfigPools),
    related(api.controllerConfigs),
    related(api.kubeletConfigs),
    related(api.containerRuntimeConfigs),
    related(api.machineConfigs),
    related(api.machineConfigurations),
    related(api.nodeTrusts),
    related(nodes),
    ...infraNamespaces.map((name) => related(namespaces, name)),
  ]
}

const related = ({ group, plural }: Resource, name = ''): RelatedObject => ({
  group,
  resource: plural,
  name,
})
