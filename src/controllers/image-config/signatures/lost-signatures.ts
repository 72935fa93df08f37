import type { Policy } from './policy-json.ts'
import { requirementsFor } from './policy-json.ts'
import type { ByScope } from './signature-policies.ts'
import type { Requirement } from './signature-requirement.ts'
import { isSigned, reject } from './signature-requirement.ts'

/**
 * The signatures that nodes require and would no longer require. While a policy is invalid, they are kept: the policy may be
 * the one that requires them. Rejected images need no signature.
 */
export function lostSignatures(now: Policy, before: Policy): ByScope {
  const lost = new Map<string, readonly Requirement[]>()
  for (const [scope, requirements] of before.transports.get('docker') ?? []) {
    const signatures = requirements.filter(isSigned)
    const isGuarded = requirementsFor(now, scope).some(
      (requirement) => isSigned(requirement) || requirement.type === reject.type,
    )
    if (signatures.length > 0 && !isGuarded) lost.set(scope, signatures)
  }
  return lost
}
