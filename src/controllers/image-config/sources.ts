import type { Resource } from '@machinist/core/objects/resource'
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
import type { OptionalKinds } from '../caches/optional-kinds.ts'
import type { SharedCache } from '../render/caches.ts'

/** Caches of the OpenShift kinds that configure images. The cache of a kind that the cluster does not serve is empty. */
export interface ImageSources {
  readonly images: SharedCache<Image>
  readonly clusterVersions: SharedCache<ClusterVersion>
  readonly digestSets: SharedCache<ImageDigestMirrorSet>
  readonly tagSets: SharedCache<ImageTagMirrorSet>
  readonly contentPolicies: SharedCache<ImageContentPolicy>
  readonly contentSourcePolicies: SharedCache<ImageContentSourcePolicy>
  readonly clusterPolicies: SharedCache<ClusterImagePolicy>
  readonly policies: SharedCache<ImagePolicy>
  /** Kinds that were served before and are not any more: their objects are unknown. */
  readonly lost: () => readonly Resource[]
  /** Whether the cluster serves or served a kind. */
  readonly knows: (resource: Resource) => boolean
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
