import type { KubeClient } from '@machinist/kube/client/client'
import { subjectAccessReviews } from '@machinist/kube/kinds/authorization'
import type {
  CertificateSigningRequest,
  SigningCondition,
} from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { mergePatch } from '@machinist/kube/patch'
import type { Permission } from './decide.ts'

export interface ActOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** Asks the API server whether RBAC allows the requester to request this certificate. */
export async function isAllowed(
  { spec }: Readonly<CertificateSigningRequest>,
  permission: Permission,
  { client, signal }: ActOptions,
): Promise<boolean> {
  const { username, uid, groups, extra } = spec
  const { group, plural } = certificateSigningRequests
  const { status } = await client.create(
    subjectAccessReviews,
    {
      // A SubjectAccessReview has no name.
      metadata: { name: '' },
      spec: {
        ...(username !== undefined && { user: username }),
        ...(uid !== undefined && { uid }),
        ...(groups && { groups }),
        ...(extra && { extra }),
        resourceAttributes: {
          verb: 'create',
          group,
          version: '*',
          resource: plural,
          subresource: permission,
        },
      },
    },
    { signal },
  )
  return status?.allowed === true
}

/** Approves the request as it was read: conflicts if it has changed. */
export async function approve(
  { metadata, status }: Readonly<CertificateSigningRequest>,
  message: string,
  { client, signal }: ActOptions,
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
