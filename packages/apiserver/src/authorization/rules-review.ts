import type { UserInfo } from '../identity/user-info.ts'
import { badRequest } from '../status/status-error.ts'
import type { Authorizer } from './authorizer.ts'
import { rolesNotFound } from './authorizer.ts'
import type { PolicyRule } from './rbac-objects.ts'

/** The status of a SelfSubjectRulesReview: what `kubectl auth can-i --list` shows. */
export interface RulesStatus {
  readonly resourceRules: readonly PolicyRule[]
  readonly nonResourceRules: readonly PolicyRule[]
  readonly incomplete: boolean
  readonly evaluationError?: string
}

export function selfRulesReview(
  authorizer: Authorizer,
  user: UserInfo,
  { namespace = '' }: { readonly namespace?: string },
): RulesStatus {
  if (namespace === '') throw badRequest('no namespace on request')
  const { rules, missing } = authorizer.rulesFor(user, namespace)
  return {
    resourceRules: rules.filter(({ resources }) => resources?.length).map(resourceRule),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs?.length).map(urlRule),
    incomplete: false,
    ...(missing.length > 0 && { evaluationError: rolesNotFound(missing) }),
  }
}

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule): PolicyRule => ({
  verbs,
  ...(apiGroups?.length && { apiGroups }),
  resources,
  ...(resourceNames?.length && { resourceNames }),
})

const urlRule = ({ verbs, nonResourceURLs }: PolicyRule): PolicyRule => ({ verbs, nonResourceURLs })
