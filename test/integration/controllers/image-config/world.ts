import type { ClusterVersion, Image } from '../../../../src/api/openshift-config.ts'
import * as config from '../../../../src/api/openshift-config.ts'
import type { MachineConfigPool } from '../../../../src/api/resources.ts'
import * as api from '../../../../src/api/resources.ts'
import type { Resource } from '@machinist/core/resource'
import { machineConfigIndexes } from '../../../../src/controllers/generated/caches.ts'
import { imageConfigController } from '../../../../src/controllers/image-config/image-config.ts'
import type { ImageSources } from '../../../../src/controllers/image-config/sources.ts'
import { followImageSources } from '../../../../src/controllers/image-config/sources.ts'
import { OptionalKinds } from '../../../../src/controllers/optional-kinds.ts'
import type { KubeClient } from '@machinist/kube/client'
import { isAlreadyExists } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { generatedConfig, maker } from '../support/cluster-objects.ts'
import { exampleControllerConfig } from '../support/example-controller-config.ts'
import { rendered } from '../template/rendered.ts'

const role = 'machineconfiguration.openshift.io/role'
const builtIn = 'machineconfiguration.openshift.io/mco-built-in'

/** What OpenShift serves, and a plain cluster does not. */
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

/** The controller at work on a cluster, of this build or another; it may be told that kinds were lost. */
export function runImageConfig(
  client: KubeClient,
  { build = maker.build, lost }: { build?: string; lost?: ImageSources['lost'] } = {},
): RunningControllers {
  return new RunningControllers(client, ({ follow, ...given }) => {
    const imageSources = followImageSources(new OptionalKinds(given, given.start))
    const caches = {
      pools: follow(api.machineConfigPools),
      machineConfigs: follow(api.machineConfigs, { indexes: machineConfigIndexes }),
      controllerConfigs: follow(api.controllerConfigs),
      imageSources: { ...imageSources, ...(lost && { lost }) },
    }
    return imageConfigController({ ...given, caches, maker: { ...maker, build } })
  })
}

export function pool(
  client: KubeClient,
  name: string,
  isBuiltIn = true,
): Promise<MachineConfigPool> {
  const matchLabels = { [role]: name }
  return client.create(api.machineConfigPools, {
    metadata: { name, ...(isBuiltIn && { labels: { [builtIn]: '' } }) },
    spec: { machineConfigSelector: { matchLabels } },
  })
}

/** What the shipped templates make for container runtimes. */
export async function bases(client: KubeClient): Promise<void> {
  for (const [of, parts] of rendered(exampleControllerConfig('plain-kubernetes'))) {
    const wanted = parts.filter(({ name }) => name.endsWith('-container-runtime'))
    for (const { name, spec } of wanted) await generatedConfig(client, name, of, spec)
  }
}

export function image(
  client: KubeClient,
  registrySources: Image['spec']['registrySources'] = {},
): Promise<Image> {
  return client.create(config.images, { metadata: { name: 'cluster' }, spec: { registrySources } })
}

export async function release(client: KubeClient, desired: string): Promise<void> {
  const name = 'version'
  await client
    .create<ClusterVersion>(config.clusterVersions, { metadata: { name } })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  const patch = mergePatch({ status: { desired: { image: desired } } })
  await client.patch(config.clusterVersions, { name }, patch, { subresource: 'status' })
}
