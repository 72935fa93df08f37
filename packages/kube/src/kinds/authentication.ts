import type { KubeObject } from '@machinist/core/resource'
import { resource } from '@machinist/core/resource'

/** A question to the API server, which is answered and never stored: whose token is this? */
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
