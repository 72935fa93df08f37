import type { KubeObject, Resource } from '@machinist/core/resource'
import type { ContainerRuntimeConfig } from './kinds/container-runtime-config.ts'
import type { ControllerConfig } from './kinds/controller-config.ts'
import type { DrainPolicy } from './kinds/drain-policy.ts'
import type { KubeletConfig } from './kinds/kubelet-config.ts'
import type { MachineConfigNode } from './kinds/machine-config-node.ts'
import type { MachineConfigPool } from './kinds/machine-config-pool.ts'
import type { MachineConfig } from './kinds/machine-config.ts'
import type { MachineConfiguration } from './kinds/machine-configuration.ts'
import type { MachineOSBuild } from './kinds/machine-os-build.ts'
import type { MachineOSConfig } from './kinds/machine-os-config.ts'
import type { NodeTrust } from './kinds/node-trust.ts'
import type { PinnedImageSet } from './kinds/pinned-image-set.ts'
import type { TrustRotation } from './kinds/trust-rotation.ts'
import { resource } from '@machinist/core/resource'

/**
 * Where each of our kinds lives. Only types come in from the kinds, so that a program that uses these names does not
 * load a single schema.
 */
const group = 'machineconfiguration.openshift.io'

function ours<T extends KubeObject>(kind: string, plural: string): Resource<T> {
  return resource<T>({ group, version: 'v1', kind, plural, namespaced: false })
}

export const machineConfigs = ours<MachineConfig>('MachineConfig', 'machineconfigs')
export const machineConfigPools = ours<MachineConfigPool>('MachineConfigPool', 'machineconfigpools')
export const controllerConfigs = ours<ControllerConfig>('ControllerConfig', 'controllerconfigs')
export const kubeletConfigs = ours<KubeletConfig>('KubeletConfig', 'kubeletconfigs')
export const containerRuntimeConfigs = ours<ContainerRuntimeConfig>(
  'ContainerRuntimeConfig',
  'containerruntimeconfigs',
)
export const machineConfigNodes = ours<MachineConfigNode>('MachineConfigNode', 'machineconfignodes')
export const pinnedImageSets = ours<PinnedImageSet>('PinnedImageSet', 'pinnedimagesets')
export const machineOSConfigs = ours<MachineOSConfig>('MachineOSConfig', 'machineosconfigs')
export const machineOSBuilds = ours<MachineOSBuild>('MachineOSBuild', 'machineosbuilds')

export const machineConfigurations = resource<MachineConfiguration>({
  group: 'operator.openshift.io',
  version: 'v1',
  kind: 'MachineConfiguration',
  plural: 'machineconfigurations',
  namespaced: false,
})

/** How one pool is drained; only Machinist has it. */
export const drainPolicies = resource<DrainPolicy>({
  group: 'machinist.dev',
  version: 'v1alpha1',
  kind: 'DrainPolicy',
  plural: 'drainpolicies',
  namespaced: false,
})

/** What one node trusts; only Machinist has it. */
export const nodeTrusts = resource<NodeTrust>({
  group: 'machinist.dev',
  version: 'v1alpha1',
  kind: 'NodeTrust',
  plural: 'nodetrusts',
  namespaced: false,
})

/** A CA that rotates; only Machinist has it. */
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
