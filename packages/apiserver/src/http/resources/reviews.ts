import { isObject } from '@machinist/core/encoding/json'
import type { Authenticator } from '../../authentication/authenticator.ts'
import type { ServiceAccountTokens } from '../../authentication/service-account-tokens.ts'
import type { BindableObjects, TokenRequestSpec } from '../../authentication/token-request.ts'
import { tokenRequest } from '../../authentication/token-request.ts'
import { selfReview, tokenReview } from '../../authentication/token-review.ts'
import {
  accessReview,
  localAccessReview,
  selfAccessReview,
} from '../../authorization/access-reviews.ts'
import type { Authorizer } from '../../authorization/authorizer.ts'
import { selfRulesReview } from '../../authorization/rules-review.ts'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { specOf } from '../../kinds/fields.ts'
import { objectKey } from '../../objects/object-key.ts'
import { read } from '../../verbs/read.ts'
import { toServedObject } from '../../objects/stored-object.ts'
import type { NamedTarget } from '../../verbs/update.ts'
import type { VerbContext } from '../../verbs/verb-context.ts'
import type { ReviewRequest, Reviews } from '../messages/api-parts.ts'

export interface ReviewParts {
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly accountTokens: ServiceAccountTokens
}

/** Answers reviews and token requests, which are never stored. */
export class ReviewHandler implements Reviews {
  readonly #parts: ReviewParts
  readonly #context: VerbContext

  constructor(parts: ReviewParts, context: VerbContext) {
    this.#parts = parts
    this.#context = context
  }

  answer(request: ReviewRequest): ApiObject | undefined {
    const { target, object } = request
    if (target.subresource === 'token') return this.#token(request)
    const status = this.#status(request)
    if (status === undefined) return undefined
    const { metadata: _, ...rest } = object
    const { namespace } = target
    const metadata = { creationTimestamp: null, ...(namespace ? { namespace } : {}) }
    // kube-apiserver does not repeat this spec.
    const spec = target.kind.plural === 'selfsubjectrulesreviews' ? { spec: {} } : {}
    return { ...rest, ...spec, metadata: metadata as unknown as ApiObject['metadata'], status }
  }

  #status({ target, object, user }: ReviewRequest): unknown {
    const { authenticator, authorizer } = this.#parts
    const spec = isObject(object['spec']) ? object['spec'] : {}
    switch (`${target.kind.group}/${target.kind.plural}`) {
      case 'authentication.k8s.io/selfsubjectreviews':
        return selfReview(user)
      case 'authentication.k8s.io/tokenreviews':
        return tokenReview(authenticator, spec)
      case 'authorization.k8s.io/selfsubjectaccessreviews':
        return selfAccessReview(authorizer, user, spec)
      case 'authorization.k8s.io/subjectaccessreviews':
        return accessReview(authorizer, spec)
      case 'authorization.k8s.io/localsubjectaccessreviews':
        return localAccessReview(authorizer, target.namespace ?? '', spec)
      case 'authorization.k8s.io/selfsubjectrulesreviews':
        return selfRulesReview(authorizer, user, spec)
      default:
        return undefined
    }
  }

  #token({ target, object }: ReviewRequest): ApiObject {
    const { subresource: _, ...account } = target as NamedTarget
    const { metadata } = read(this.#context, account)
    const { namespace = '' } = target
    const place = { namespace, name: metadata.name, uid: metadata.uid ?? '' }
    const spec = specOf(object) as TokenRequestSpec
    const made = tokenRequest(this.#parts.accountTokens, place, spec, this.#bindable(namespace))
    return {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: metadata.name, namespace, creationTimestamp: metadata.creationTimestamp },
      ...made,
    }
  }

  #bindable(namespace: string): BindableObjects {
    const { kinds, store } = this.#context
    return {
      find: (kind, name) => {
        const served = kinds.findKind('', 'v1', kind)
        const stored = served && store.get(objectKey(served, namespace, name))
        if (!served || !stored) return undefined
        const object = toServedObject(served, stored)
        const { nodeName, serviceAccountName } = specOf(object) as Record<string, string>
        return { name, uid: object.metadata.uid ?? '', nodeName, serviceAccountName }
      },
    }
  }
}
