import type { Resource } from '@machinist/core/objects/resource'
import { configMaps, secrets, serviceAccounts } from '@machinist/kube/kinds/core'
import * as api from '../../api/kinds/resources.ts'
import * as openshift from '../../api/openshift-config.ts'

/** Machinist's kinds that determine rendered configs, or that an administrator creates with them. */
const ownKinds: readonly Resource[] = [
  api.machineConfigs,
  api.machineConfigPools,
  api.controllerConfigs,
  api.kubeletConfigs,
  api.containerRuntimeConfigs,
  api.machineConfigurations,
  api.machineOSConfigs,
  api.pinnedImageSets,
  api.drainPolicies,
]

/** Kinds of OpenShift that `deploy/image-registries` installs on other clusters. */
export const sharedKinds: readonly Resource[] = [
  openshift.images,
  openshift.imageDigestMirrorSets,
  openshift.imageTagMirrorSets,
  openshift.clusterImagePolicies,
]

/** Kinds that only OpenShift has. */
export const openShiftKinds: readonly Resource[] = [
  openshift.clusterVersions,
  openshift.clusterOperators,
  openshift.infrastructures,
  openshift.networks,
  openshift.proxies,
  openshift.dnses,
  openshift.schedulers,
  openshift.apiServers,
  openshift.featureGates,
  openshift.nodeConfigs,
  openshift.imageContentPolicies,
  openshift.imageContentSourcePolicies,
  openshift.imagePolicies,
  openshift.crioCredentialProviderConfigs,
]

/** All kinds that are read. */
export const inputKinds: readonly Resource[] = [
  ...ownKinds,
  ...sharedKinds,
  ...openShiftKinds,
  configMaps,
  secrets,
  serviceAccounts,
]

/** Groups of Machinist, in which an unknown kind is probably a typing error. OpenShift has many other kinds in its groups. */
export const ownGroups: ReadonlySet<string> = new Set([
  api.machineConfigs.group,
  api.drainPolicies.group,
])

/** Kinds of these groups that components write about nodes and builds; an export of a cluster may contain them. */
export const stateKinds: ReadonlySet<string> = new Set(
  [api.machineConfigNodes, api.machineOSBuilds, api.nodeTrusts, api.trustRotations].map(
    ({ kind }) => kind,
  ),
)
