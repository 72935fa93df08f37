import type { Authorizer } from '../../authorization/authorizer.ts'
import { bindingEscalationError, roleEscalationError } from '../../authorization/escalation.ts'
import type { AnyBinding, AnyRole } from '../../authorization/rbac-objects.ts'
import { rbacGroup } from '../../authorization/rbac-objects.ts'
import type { Admission } from '../messages/api-parts.ts'

/** Prevents privilege escalation in roles and bindings. */
export function escalationAdmission(authorizer: Authorizer): Admission {
  return ({ user, after, before }) => {
    if (!after.apiVersion?.startsWith(`${rbacGroup}/`)) return
    const write = { user, object: after as unknown, ...(before ? { before } : {}) }
    const error = after.kind?.endsWith('Binding')
      ? bindingEscalationError(authorizer, write as { user: typeof user; object: AnyBinding })
      : roleEscalationError(authorizer, write as { user: typeof user; object: AnyRole })
    if (error) throw error
  }
}
