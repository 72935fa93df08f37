import type { KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'

/** Asks the API server which user a token belongs to. The object is never stored. */
export interface TokenReview extends KubeObject {
  spec: { token: string; audiences?: string[] }
  status?: {
    authenticated?: boolean
    user?: {
      username?: string
      uid?: string
      groups?: string[]
      extra?: Record<string, string[]>
    }
  }
}

export const tokenReviews = resource<TokenReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
})
