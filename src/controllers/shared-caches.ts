import { namespaces } from '../api/names.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigNode,
  MachineConfigPool,
  PinnedImageSet,
} from '../api/resources.ts'
import type {
  APIServer,
  CRIOCredentialProviderConfig,
  FeatureGate,
  NodeConfig,
  Scheduler,
} from '../api/openshift-config.ts'
import * as openshift from '../api/openshift-config.ts'
import * as api from '../api/resources.ts'
import type { KubeObject, Resource } from '@machinist/core/resource'
import type { KubeClient, Scope } from '@machinist/kube/client'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import { daemonSets } from '@machinist/kube/kinds/apps'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes, pods, secrets } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import type { DrainWorld } from './drain/world.ts'
import * as drain from './drain/world.ts'
import type { ImageSources } from './image-config/sources.ts'
import { followImageSources } from './image-config/sources.ts'
import { OptionalKinds } from './optional-kinds.ts'
import type { RenderCaches } from './render/caches.ts'
import * as render from './render/caches.ts'
import type { RolloutInformers } from './rollout/inputs.ts'
import type { TemplateInformers } from './template/caches.ts'
import * as template from './template/caches.ts'

type Tools = Pick<InformerOptions<KubeObject>, 'clock' | 'random' | 'log' | 'metrics'>

export interface CacheOptions extends Tools {
  readonly client: KubeClient
  /** Where the operator's own pods are. */
  readonly namespace?: string
}

/** One informer for each kind, with the indexes of everybody who reads it: no object is kept twice. */
export interface SharedCaches extends RenderCaches, Required<RolloutInformers> {
  readonly pools: Informer<MachineConfigPool>
  readonly nodes: Informer<Node>
  readonly machineConfigs: Informer<MachineConfig>
  readonly machineConfigNodes: Informer<MachineConfigNode>
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly budgets: DrainWorld['budgets']
  readonly daemonSets: DrainWorld['daemonSets']
  readonly drainPolicies: DrainWorld['drainPolicies']
  readonly pinnedImageSets: Informer<PinnedImageSet>
  /** OpenShift's, as those after it; empty elsewhere. */
  readonly schedulers: Informer<Scheduler>
  readonly nodeConfigs: Informer<NodeConfig>
  readonly featureGates: Informer<FeatureGate>
  readonly apiServers: Informer<APIServer>
  readonly credentialProviderConfigs: Informer<CRIOCredentialProviderConfig>
  readonly imageSources: ImageSources
  /** Of these, but for `imageSources`: those that were served before and are not now. */
  readonly lostKinds: () => readonly Resource[]
  /** Followed from the first call on: only who fills in templates needs it. */
  readonly pullSecrets: () => TemplateInformers['pullSecrets']
}

/** Makes the informers, and hands each to `keep`, which starts it. */
export function sharedCaches(
  { client, namespace = namespaces.operator, clock, random, log, metrics }: CacheOptions,
  keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
): SharedCaches {
  const tools: Tools = { clock, random, log, metrics }
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    indexes: Indexes<T> = {},
    scope: Scope = {},
  ): Informer<T> => {
    const source = client.listWatch(resource, scope)
    return kept({ ...tools, resource: resource.plural, source, indexes })
  }
  const kept = <T extends KubeObject>(options: InformerOptions<T>): Informer<T> => {
    const informer = new Informer<T>(options)
    keep(informer)
    return informer
  }
  // Whoever asks what was lost asks for kinds of its own.
  const ofSettings = new OptionalKinds({ client, ...tools }, keep)
  const ofImages = new OptionalKinds({ client, ...tools }, keep)
  return {
    pools: follow(api.machineConfigPools),
    nodes: kept({
      ...tools,
      resource: nodes.plural,
      source: client.listWatch(nodes),
      indexes: { ...render.nodeIndexes, ...drain.nodeIndexes },
      transform: withoutImages,
    }),
    machineConfigs: follow(api.machineConfigs, {
      ...render.machineConfigIndexes,
    }),
    machineConfigNodes: follow(api.machineConfigNodes, render.machineConfigNodeIndexes),
    controllerConfigs: follow(api.controllerConfigs),
    kubeletConfigs: follow(api.kubeletConfigs),
    containerRuntimeConfigs: follow(api.containerRuntimeConfigs),
    machineConfigurations: follow(api.machineConfigurations),
    osConfigs: follow(api.machineOSConfigs),
    osBuilds: follow(api.machineOSBuilds),
    operatorPods: follow(pods, {}, { namespace, labels: 'k8s-app=machine-config-operator' }),
    budgets: follow(podDisruptionBudgets, drain.budgetIndexes),
    daemonSets: follow<KubeObject>(daemonSets, {}, { metadataOnly: true }),
    drainPolicies: follow(api.drainPolicies),
    pinnedImageSets: follow(api.pinnedImageSets),
    schedulers: ofSettings.follow(openshift.schedulers),
    nodeConfigs: ofSettings.follow(openshift.nodeConfigs),
    featureGates: ofSettings.follow(openshift.featureGates),
    apiServers: ofSettings.follow(openshift.apiServers),
    credentialProviderConfigs: ofSettings.follow(openshift.crioCredentialProviderConfigs),
    imageSources: followImageSources(ofImages),
    lostKinds: ofSettings.lost,
    pullSecrets: () =>
      follow<KubeObject>(secrets, {}, { ...template.pullSecretScope, metadataOnly: true }),
  }
}

/** Kubelets report up to 50 images and more that no controller reads: most of a Node by size. */
function withoutImages({ metadata, spec, status }: Node): Node {
  const { conditions } = status ?? {}
  return { metadata, ...(spec && { spec }), status: { ...(conditions && { conditions }) } }
}
