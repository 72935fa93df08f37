import type {
  ClusterImagePolicy,
  ClusterVersion,
  Image,
  ImageContentPolicy,
  ImageContentSourcePolicy,
  ImageDigestMirrorSet,
  ImagePolicy,
  ImageTagMirrorSet,
} from '../../api/openshift-config.ts'
import * as config from '../../api/openshift-config.ts'
import type { KubeObject, Resource } from '../../base/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { InformerOptions } from '../../kube/informer/informer.ts'
import { Informer } from '../../kube/informer/informer.ts'
import { OptionalSource } from '../../kube/informer/optional-source.ts'
import type { Cache } from '../render/caches.ts'

/** What OpenShift's kinds say about images. All are empty where a cluster has no such kind. */
export interface ImageSources {
  readonly images: Cache<Image>
  readonly clusterVersions: Cache<ClusterVersion>
  readonly digestSets: Cache<ImageDigestMirrorSet>
  readonly tagSets: Cache<ImageTagMirrorSet>
  readonly contentPolicies: Cache<ImageContentPolicy>
  readonly contentSourcePolicies: Cache<ImageContentSourcePolicy>
  readonly clusterPolicies: Cache<ClusterImagePolicy>
  readonly policies: Cache<ImagePolicy>
  /** Kinds that were served before and are not now: nobody knows what became of their objects. */
  readonly lost: () => readonly Resource[]
}

export interface FollowOptions extends Pick<
  InformerOptions<KubeObject>,
  'clock' | 'random' | 'log' | 'metrics'
> {
  readonly client: KubeClient
}

/** Makes the informers, and hands each to `keep`, which starts it. */
export function followImageSources(
  { client, clock, random, log, metrics }: FollowOptions,
  keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
): ImageSources {
  const followed: { readonly place: Resource; readonly isLost: () => boolean }[] = []
  const follow = <T extends KubeObject>(place: Resource<T>): Informer<T> => {
    const source = new OptionalSource(client.listWatch(place), clock)
    const informer = new Informer<T>({
      clock,
      random,
      log,
      metrics,
      resource: place.plural,
      source,
    })
    keep(informer)
    followed.push({ place, isLost: () => source.isLost })
    return informer
  }
  return {
    images: follow(config.images),
    clusterVersions: follow(config.clusterVersions),
    digestSets: follow(config.imageDigestMirrorSets),
    tagSets: follow(config.imageTagMirrorSets),
    contentPolicies: follow(config.imageContentPolicies),
    contentSourcePolicies: follow(config.imageContentSourcePolicies),
    clusterPolicies: follow(config.clusterImagePolicies),
    policies: follow(config.imagePolicies),
    lost: () => followed.filter(({ isLost }) => isLost()).map(({ place }) => place),
  }
}
