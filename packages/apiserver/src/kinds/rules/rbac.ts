import { sameJson } from '@machinist/core/encoding/json'
import type { KindRules } from '../kind-rules.ts'
import { fill, items, section } from '../fields.ts'

const group = 'rbac.authorization.k8s.io'

export const roleRules: KindRules = {
  nameRule: 'path-segment',
  allowsCreateOnUpdate: true,
  complete: (role) => void (role['rules'] ??= null),
}

export const bindingRules: KindRules = {
  nameRule: 'path-segment',
  allowsCreateOnUpdate: true,
  complete(binding) {
    fill(section(binding, 'roleRef'), { apiGroup: group })
    for (const subject of items(binding['subjects'])) {
      if (subject['kind'] !== 'ServiceAccount') fill(subject, { apiGroup: group })
    }
  },
  validate: (binding, before) =>
    before === undefined || sameJson(binding['roleRef'], before['roleRef'])
      ? []
      : [
          {
            reason: 'FieldValueInvalid',
            message: `Invalid value: ${roleText(binding['roleRef'])}: cannot change roleRef`,
            field: 'roleRef',
          },
        ],
}

/** The role reference as Go prints the struct. */
function roleText(role: unknown): string {
  const { apiGroup, kind, name } = role as Record<string, string | undefined>
  const quoted = (text = ''): string => JSON.stringify(text)
  return `rbac.RoleRef{APIGroup:${quoted(apiGroup)}, Kind:${quoted(kind)}, Name:${quoted(name)}}`
}
