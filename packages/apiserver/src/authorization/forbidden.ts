import { Refusal } from '../refusal.ts'
import type { UserInfo } from '../authentication/user-info.ts'
import type { Attributes, ResourceAttributes } from './attributes.ts'
import { isPath, resourcePath } from './attributes.ts'

/** The answer to somebody who may not do this, in kube-apiserver's words. */
export function forbidden(user: UserInfo, attributes: Attributes, reason = ''): Refusal {
  const why = `User ${JSON.stringify(user.username)} cannot ${attributes.verb} ${target(attributes)}`
  const said = reason === '' ? why : `${why}: ${reason}`
  if (isPath(attributes)) return new Refusal(403, 'Forbidden', `forbidden: ${said}`, {})
  const { group, resource, name = '' } = attributes
  return forbiddenObject({ group, resource, name }, said)
}

/** A no that concerns one object (or a whole resource where it has no name). */
export function forbiddenObject(
  { group, resource, name }: Pick<ResourceAttributes, 'group' | 'resource' | 'name'>,
  why: string,
): Refusal {
  const what = group === '' ? resource : `${resource}.${group}`
  return new Refusal(403, 'Forbidden', `${what}${name ? ` "${name}"` : ''} is forbidden: ${why}`, {
    ...(name && { name }),
    ...(group !== '' && { group }),
    kind: resource,
  })
}

function target(attributes: Attributes): string {
  if (isPath(attributes)) return `path ${JSON.stringify(attributes.path)}`
  const { group, namespace } = attributes
  const scope = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope'
  return `resource "${resourcePath(attributes)}" in API group "${group}" ${scope}`
}
