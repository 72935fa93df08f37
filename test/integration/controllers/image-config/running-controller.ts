import type { Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isAlreadyExists } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { ClusterVersion, Image } from '../../../../src/api/openshift-config.ts'
import * as config from '../../../../src/api/openshift-config.ts'
import type { MachineConfigPool } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { imageConfigController } from '../../../../src/controllers/image-config/image-config.ts'
import type { ImageSources } from '../../../../src/controllers/image-config/sources.ts'
import { followImageSources } from '../../../../src/controllers/image-config/sources.ts'
import { OptionalKinds } from '../../../../src/controllers/caches/optional-kinds.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { maker } from '../support/cluster-objects.ts'
import { createTemplates, settingsCaches } from '../support/settings-controllers.ts'

const roleLabel = 'machineconfiguration.openshift.io/role'
const builtInLabel = 'machineconfiguration.openshift.io/mco-built-in'

/** Kinds that only OpenShift serves. */
export const openshiftKinds: readonly Resource[] = [
  config.images,
  config.clusterVersions,
  config.imageDigestMirrorSets,
  config.imageTagMirrorSets,
  config.imageContentPolicies,
  config.imageContentSourcePolicies,
  config.clusterImagePolicies,
  config.imagePolicies,
]

/** Runs the controller with this or another build; `lost` simulates kinds that are no longer served. */
export function runImageConfig(
  client: KubeClient,
  { build = maker.build, lost }: { build?: string; lost?: ImageSources['lost'] } = {},
): RunningControllers {
  return new RunningControllers(client, (given) => {
    const imageSources = followImageSources(new OptionalKinds(given, given.start))
    const caches = {
      ...settingsCaches(given),
      imageSources: { ...imageSources, ...(lost && { lost }) },
    }
    return imageConfigController(given, caches, { maker: { ...maker, build } })
  })
}

export function createPool(
  client: KubeClient,
  name: string,
  isBuiltIn = true,
): Promise<MachineConfigPool> {
  const matchLabels = { [roleLabel]: name }
  return client.create(api.machineConfigPools, {
    metadata: { name, ...(isBuiltIn && { labels: { [builtInLabel]: '' } }) },
    spec: { machineConfigSelector: { matchLabels } },
  })
}

/** Creates the container runtime MachineConfigs of the shipped templates. */
export const createBaseConfigs = (client: KubeClient): Promise<void> =>
  createTemplates(client, '-container-runtime')

export function createImage(
  client: KubeClient,
  registrySources: Image['spec']['registrySources'] = {},
): Promise<Image> {
  return client.create(config.images, { metadata: { name: 'cluster' }, spec: { registrySources } })
}

export async function setReleaseImage(client: KubeClient, desired: string): Promise<void> {
  const name = 'version'
  await client
    .create<ClusterVersion>(config.clusterVersions, { metadata: { name } })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  const patch = mergePatch({ status: { desired: { image: desired } } })
  await client.patch(config.clusterVersions, { name }, patch, { subresource: 'status' })
}
