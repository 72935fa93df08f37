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
import type { Resource } from '@machinist/core/resource'
import type { OptionalKinds } from '../optional-kinds.ts'
import type { Cache } from '../render/caches.ts'

/** What OpenShift's kinds say about images. All are empty where a cluster has no such kind; some may be given to it. */
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
  /** Whether the cluster has a kind, or had it. */
  readonly knows: (place: Resource) => boolean
}

export function followImageSources(kinds: OptionalKinds): ImageSources {
  return {
    images: kinds.follow(config.images),
    clusterVersions: kinds.follow(config.clusterVersions),
    digestSets: kinds.follow(config.imageDigestMirrorSets),
    tagSets: kinds.follow(config.imageTagMirrorSets),
    contentPolicies: kinds.follow(config.imageContentPolicies),
    contentSourcePolicies: kinds.follow(config.imageContentSourcePolicies),
    clusterPolicies: kinds.follow(config.clusterImagePolicies),
    policies: kinds.follow(config.imagePolicies),
    lost: kinds.lost,
    knows: kinds.knows,
  }
}
