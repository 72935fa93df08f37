import type { Kind } from '../schema/kind.ts'
import { clusterImagePolicyKind } from '../kinds/image-registry/cluster-image-policy.ts'
import { containerRuntimeConfigKind } from '../kinds/container-runtime-config.ts'
import { controllerConfigKind } from '../kinds/controller-config.ts'
import { drainPolicyKind } from '../kinds/drain-policy.ts'
import { imageKind } from '../kinds/image-registry/image.ts'
import { kubeletConfigKind } from '../kinds/kubelet-config.ts'
import { machineConfigNodeKind } from '../kinds/machine-config-node.ts'
import { machineConfigPoolKind } from '../kinds/machine-config-pool.ts'
import { machineConfigKind } from '../kinds/machine-config.ts'
import { machineConfigurationKind } from '../kinds/machine-configuration.ts'
import { machineOSBuildKind } from '../kinds/machine-os-build.ts'
import { machineOSConfigKind } from '../kinds/machine-os-config.ts'
import {
  imageDigestMirrorSetKind,
  imageTagMirrorSetKind,
} from '../kinds/image-registry/mirror-sets.ts'
import { nodeTrustKind } from '../kinds/node-trust.ts'
import { pinnedImageSetKind } from '../kinds/pinned-image-set.ts'
import { trustRotationKind } from '../kinds/trust-rotation.ts'

/** All kinds that Machinist installs. */
export const kinds: readonly Kind[] = [
  machineConfigKind,
  machineConfigPoolKind,
  controllerConfigKind,
  kubeletConfigKind,
  containerRuntimeConfigKind,
  machineConfigNodeKind,
  pinnedImageSetKind,
  machineOSConfigKind,
  machineOSBuildKind,
  machineConfigurationKind,
  drainPolicyKind,
  nodeTrustKind,
  trustRotationKind,
]

/** Kinds that OpenShift provides and that `deploy/image-registries` installs on other clusters. */
export const imageRegistryKinds: readonly Kind[] = [
  imageKind,
  imageDigestMirrorSetKind,
  imageTagMirrorSetKind,
  clusterImagePolicyKind,
]
