import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import type { ContainerRuntimeConfig } from './container-runtime-config.ts'
import type { ControllerConfig } from './controller-config.ts'
import type { DrainPolicy } from './drain-policy.ts'
import type { KubeletConfig } from './kubelet-config.ts'
import type { MachineConfigNode } from './machine-config-node.ts'
import type { MachineConfigPool } from './machine-config-pool.ts'
import type { MachineConfig } from './machine-config.ts'
import type { MachineConfiguration } from './machine-configuration.ts'
import type { MachineOSBuild } from './machine-os-build.ts'
import type { MachineOSConfig } from './machine-os-config.ts'
import type { NodeTrust } from './node-trust.ts'
import type { PinnedImageSet } from './pinned-image-set.ts'
import type { TrustRotation } from './trust-rotation.ts'

/** The resources of Machinist's kinds. This module imports only types from the kinds, so that it loads no schema. */
const group = 'machineconfiguration.openshift.io'

function machineConfigResource<T extends KubeObject>(kind: string, plural: string): Resource<T> {
  return resource<T>({ group, version: 'v1', kind, plural, namespaced: false })
}

export const machineConfigs = machineConfigResource<MachineConfig>(
  'MachineConfig',
  'machineconfigs',
)
export const machineConfigPools = machineConfigResource<MachineConfigPool>(
  'MachineConfigPool',
  'machineconfigpools',
)
export const controllerConfigs = machineConfigResource<ControllerConfig>(
  'ControllerConfig',
  'controllerconfigs',
)
export const kubeletConfigs = machineConfigResource<KubeletConfig>(
  'KubeletConfig',
  'kubeletconfigs',
)
export const containerRuntimeConfigs = machineConfigResource<ContainerRuntimeConfig>(
  'ContainerRuntimeConfig',
  'containerruntimeconfigs',
)
export const machineConfigNodes = machineConfigResource<MachineConfigNode>(
  'MachineConfigNode',
  'machineconfignodes',
)
export const pinnedImageSets = machineConfigResource<PinnedImageSet>(
  'PinnedImageSet',
  'pinnedimagesets',
)
export const machineOSConfigs = machineConfigResource<MachineOSConfig>(
  'MachineOSConfig',
  'machineosconfigs',
)
export const machineOSBuilds = machineConfigResource<MachineOSBuild>(
  'MachineOSBuild',
  'machineosbuilds',
)

export const machineConfigurations = resource<MachineConfiguration>({
  group: 'operator.openshift.io',
  version: 'v1',
  kind: 'MachineConfiguration',
  plural: 'machineconfigurations',
  namespaced: false,
})

/** Drain settings of a pool. Not part of MCO. */
export const drainPolicies = resource<DrainPolicy>({
  group: 'machinist.dev',
  version: 'v1alpha1',
  kind: 'DrainPolicy',
  plural: 'drainpolicies',
  namespaced: false,
})

/** Trust items on a node. Not part of MCO. */
export const nodeTrusts = resource<NodeTrust>({
  group: 'machinist.dev',
  version: 'v1alpha1',
  kind: 'NodeTrust',
  plural: 'nodetrusts',
  namespaced: false,
})

/** The rotation of a CA. Not part of MCO. */
export const trustRotations = resource<TrustRotation>({
  group: 'machinist.dev',
  version: 'v1alpha1',
  kind: 'TrustRotation',
  plural: 'trustrotations',
  namespaced: false,
})

export type {
  ContainerRuntimeConfig,
  ControllerConfig,
  DrainPolicy,
  KubeletConfig,
  MachineConfig,
  MachineConfigNode,
  MachineConfigPool,
  MachineConfiguration,
  MachineOSBuild,
  MachineOSConfig,
  NodeTrust,
  PinnedImageSet,
  TrustRotation,
}
