import { Waiting } from '@machinist/core/errors'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { describeRefusal, isConflict, isNotFound, isRefused } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type {
  CertificateSigningRequest,
  SigningCondition,
} from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { mergePatch } from '@machinist/kube/patch'
import type { AccessReviews } from './access-review.ts'
import { isAllowed } from './access-review.ts'
import type { Claim } from './claim.ts'
import type { RequestPlan } from './decide.ts'
import type { RequestFacts } from './facts.ts'
import type { Refusal } from './refusals.ts'

export type RequestResult =
  | { readonly type: 'approved'; readonly claim: Claim }
  /** The next pass decides with the result of the access review. */
  | { readonly type: 'reviewed' }
  /** The request was just deleted: the cache follows. */
  | { readonly type: 'deleted' }
  /** The request is left to an administrator. */
  | { readonly type: 'left'; readonly refusal: Refusal }

/** Approves the request or reviews the permission of its requester. */
export async function act(
  plan: RequestPlan,
  { request }: RequestFacts,
  context: Pick<StepContext, 'client' | 'signal'>,
  reviews: AccessReviews,
): Promise<RequestResult> {
  if (plan.action === 'leave') return { type: 'left', refusal: plan.refusal }
  const { name } = request.metadata
  try {
    if (plan.action === 'checkPermission') {
      reviews.put(request, await isAllowed(request, plan.permission, context))
      return { type: 'reviewed' }
    }
    await approve(request, plan.message, context)
    return { type: 'approved', claim: plan.claim }
  } catch (error) {
    if (isConflict(error)) {
      throw new Waiting('Changed', `request ${name} changed meanwhile`, catchUpMs)
    }
    if (isNotFound(error)) return { type: 'deleted' }
    if (!isRefused(error)) throw error
    const why = describeRefusal(`what the signer needs for request ${name}`, error)
    return { type: 'left', refusal: { check: 'NotLet', why, isFinal: false } }
  }
}

/** Approves the request as it was read: conflicts if it has changed. */
async function approve(
  { metadata, status }: Readonly<CertificateSigningRequest>,
  message: string,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<void> {
  const { name, uid, resourceVersion } = metadata
  const approved: SigningCondition = {
    type: 'Approved',
    status: 'True',
    reason: 'MachinistApproved',
    message,
  }
  const patch = mergePatch({
    metadata: { uid, resourceVersion },
    status: { conditions: [...(status?.conditions ?? []), approved] },
  })
  await client.patch(certificateSigningRequests, { name }, patch, {
    subresource: 'approval',
    signal,
  })
}
