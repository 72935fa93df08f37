import { StatusError } from '../status/status-error.ts'
import type { UserInfo } from '../identity/user-info.ts'
import type { Attributes, ResourceAttributes } from './attributes.ts'
import { isPath, resourcePath } from './attributes.ts'

/** The 403 error with kube-apiserver's message. */
export function forbidden(user: UserInfo, attributes: Attributes, reason = ''): StatusError {
  const why = `User ${JSON.stringify(user.username)} cannot ${attributes.verb} ${target(attributes)}`
  const message = reason === '' ? why : `${why}: ${reason}`
  if (isPath(attributes)) return new StatusError(403, 'Forbidden', `forbidden: ${message}`, {})
  const { group, resource, name = '' } = attributes
  return forbiddenObject({ group, resource, name }, message)
}

/** A 403 error about one object, or about the resource if it has no name. */
export function forbiddenObject(
  { group, resource, name }: Pick<ResourceAttributes, 'group' | 'resource' | 'name'>,
  why: string,
): StatusError {
  const what = group === '' ? resource : `${resource}.${group}`
  return new StatusError(
    403,
    'Forbidden',
    `${what}${name ? ` "${name}"` : ''} is forbidden: ${why}`,
    {
      ...(name && { name }),
      ...(group !== '' && { group }),
      kind: resource,
    },
  )
}

function target(attributes: Attributes): string {
  if (isPath(attributes)) return `path ${JSON.stringify(attributes.path)}`
  const { group, namespace } = attributes
  const scope = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope'
  return `resource "${resourcePath(attributes)}" in API group "${group}" ${scope}`
}
