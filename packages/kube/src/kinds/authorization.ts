import type { KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'

/** Asks the API server whether a user has a permission. The object is never stored. */
export interface SubjectAccessReview extends KubeObject {
  spec: {
    user?: string
    uid?: string
    groups?: string[]
    extra?: Record<string, string[]>
    resourceAttributes?: {
      verb: string
      group?: string
      version?: string
      resource: string
      subresource?: string
      namespace?: string
      name?: string
    }
    nonResourceAttributes?: { verb: string; path: string }
  }
  status?: { allowed: boolean; reason?: string }
}

export const subjectAccessReviews = resource<SubjectAccessReview>({
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
})
