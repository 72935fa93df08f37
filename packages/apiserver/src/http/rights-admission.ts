import type { Authorizer } from '../authorization/authorizer.ts'
import { refusedBinding, refusedRole } from '../authorization/escalation.ts'
import type { AnyBinding, AnyRole } from '../authorization/rbac-objects.ts'
import { rbacGroup } from '../authorization/rbac-objects.ts'
import type { Admission } from './api-parts.ts'

/** Nobody gives away rights that they do not have. */
export function rightsAdmission(authorizer: Authorizer): Admission {
  return ({ user, after, before }) => {
    if (!after.apiVersion?.startsWith(`${rbacGroup}/`)) return
    const write = { user, object: after as unknown, ...(before ? { before } : {}) }
    const refusal = after.kind?.endsWith('Binding')
      ? refusedBinding(authorizer, write as { user: typeof user; object: AnyBinding })
      : refusedRole(authorizer, write as { user: typeof user; object: AnyRole })
    if (refusal) throw refusal
  }
}
