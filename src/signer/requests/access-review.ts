import type { StepContext } from '@machinist/kube/controller/step-controller'
import { subjectAccessReviews } from '@machinist/kube/kinds/authorization'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import type { Permission } from './decide.ts'

/** Asks the API server whether RBAC allows the requester to request this certificate. */
export async function isAllowed(
  { spec }: Readonly<CertificateSigningRequest>,
  permission: Permission,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
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

/**
 * Results of access reviews, from one pass to the next. A result counts once, because RBAC may change, and only for the object
 * that was reviewed: another object with the same name may have another requester.
 */
export class AccessReviews {
  readonly #results = new WeakMap<Readonly<CertificateSigningRequest>, boolean>()

  put(request: Readonly<CertificateSigningRequest>, result: boolean): void {
    this.#results.set(request, result)
  }

  take(request: Readonly<CertificateSigningRequest>): boolean | undefined {
    const result = this.#results.get(request)
    this.#results.delete(request)
    return result
  }
}
