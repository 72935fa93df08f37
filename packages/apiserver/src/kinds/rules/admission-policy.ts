import { isObject } from '@machinist/core/encoding/json'
import { bindingProblems } from '../../admission/policies/check-binding.ts'
import { policyProblems } from '../../admission/policies/check-policy.ts'
import type { KindRules } from '../kind-rules.ts'
import type { Fields } from '../fields.ts'
import { fill, items, specOf, statusOf } from '../fields.ts'

export const policyRules: KindRules = {
  generation: true,
  complete(policy) {
    const spec = specOf(policy)
    fill(spec, { failurePolicy: 'Fail' })
    completeMatch(spec['matchConstraints'])
    statusOf(policy)
  },
  validate: (policy, _, { subresource }) =>
    subresource === undefined ? policyProblems(policy) : [],
}

export const policyBindingRules: KindRules = {
  generation: true,
  complete: (binding) => completeMatch(specOf(binding)['matchResources']),
  validate: (binding) => bindingProblems(binding),
}

function completeMatch(match: unknown): void {
  if (!isObject(match)) return
  fill(match, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} })
  const rules: Fields[] = [
    ...items(match['resourceRules']),
    ...items(match['excludeResourceRules']),
  ]
  for (const rule of rules) fill(rule, { scope: '*' })
}
