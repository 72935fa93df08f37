import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient, ListWatchScope } from '@machinist/kube/client/client'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import { daemonSets } from '@machinist/kube/kinds/apps'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes, pods, secrets } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import { namespaces } from '../api/names.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigNode,
  MachineConfigPool,
  PinnedImageSet,
} from '../api/kinds/resources.ts'
import type {
  APIServer,
  CRIOCredentialProviderConfig,
  FeatureGate,
  NodeConfig,
  Scheduler,
} from '../api/openshift-config.ts'
import * as openshift from '../api/openshift-config.ts'
import * as api from '../api/kinds/resources.ts'
import type { DrainCaches } from './drain/inputs.ts'
import * as drain from './drain/inputs.ts'
import type { ImageSources } from './image-config/sources.ts'
import { followImageSources } from './image-config/sources.ts'
import { OptionalKinds } from './caches/optional-kinds.ts'
import type { RenderCaches } from './render/caches.ts'
import * as render from './render/caches.ts'
import type { RolloutInformers } from './rollout/inputs.ts'
import type { TemplateCaches } from './template/inputs.ts'
import * as template from './template/inputs.ts'

type Tools = Pick<InformerOptions<KubeObject>, 'clock' | 'random' | 'log' | 'metrics'>

export interface CacheOptions extends Tools {
  readonly client: KubeClient
  /** The namespace of the operator's pods. */
  readonly namespace?: string
}

/** One informer per kind with the indexes of all its readers, so that no object is cached twice. */
export interface SharedCaches extends RenderCaches, Required<RolloutInformers> {
  readonly pools: Informer<MachineConfigPool>
  readonly nodes: Informer<Node>
  readonly machineConfigs: Informer<MachineConfig>
  readonly machineConfigNodes: Informer<MachineConfigNode>
  readonly controllerConfigs: Informer<ControllerConfig>
  readonly budgets: DrainCaches['budgets']
  readonly daemonSets: DrainCaches['daemonSets']
  readonly drainPolicies: DrainCaches['drainPolicies']
  readonly pinnedImageSets: Informer<PinnedImageSet>
  /** This and the following kinds exist on OpenShift only; empty elsewhere. */
  readonly schedulers: Informer<Scheduler>
  readonly nodeConfigs: Informer<NodeConfig>
  readonly featureGates: Informer<FeatureGate>
  readonly apiServers: Informer<APIServer>
  readonly credentialProviderConfigs: Informer<CRIOCredentialProviderConfig>
  readonly imageSources: ImageSources
  /** Optional kinds, without `imageSources`, that the API server no longer serves. */
  readonly lostKinds: () => readonly Resource[]
  /** Starts the informer on the first call: only the template controller needs it. */
  readonly pullSecrets: () => TemplateCaches['pullSecrets']
}

/** Creates the informers and passes each to `keep`, which starts it. */
export function sharedCaches(
  { client, namespace = namespaces.operator, clock, random, log, metrics }: CacheOptions,
  keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
): SharedCaches {
  const tools: Tools = { clock, random, log, metrics }
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    indexes: Indexes<T> = {},
    scope: ListWatchScope = {},
  ): Informer<T> => {
    const source = client.listWatch(resource, scope)
    return kept({ ...tools, resource: resource.plural, source, indexes })
  }
  const kept = <T extends KubeObject>(options: InformerOptions<T>): Informer<T> => {
    const informer = new Informer<T>(options)
    keep(informer)
    return informer
  }
  // Separate sets, because each reader asks for the lost kinds of its own.
  const ofSettings = new OptionalKinds({ client, ...tools }, keep)
  const ofImages = new OptionalKinds({ client, ...tools }, keep)
  return {
    pools: follow(api.machineConfigPools),
    nodes: kept({
      ...tools,
      resource: nodes.plural,
      source: client.listWatch(nodes),
      indexes: { ...render.nodeIndexes, ...drain.nodeIndexes },
      transform: withReadFields,
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

/** Drops fields that no controller reads; the list of images is most of a Node's size. */
function withReadFields({ metadata, spec, status }: Node): Node {
  const { conditions } = status ?? {}
  return { metadata, ...(spec && { spec }), status: { ...(conditions && { conditions }) } }
}
