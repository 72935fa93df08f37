import { serviceAccountGroups, serviceAccountUser } from '../identity/user-info.ts'
import type { UserInfo } from '../identity/user-info.ts'
import type { Attributes } from '../authorization/attributes.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { AuthorizationQuery } from '../cel/authorizer.ts'
import { AuthorizerValue } from '../cel/authorizer.ts'
import { dynamicValue } from '../cel/values.ts'
import type { AdmissionRequest, GroupVersionKind } from './admission-request.ts'

/** The authorizer, as far as expressions need it. */
export interface PermissionChecker {
  allowed(
    user: UserInfo,
    attributes: Attributes,
  ): { readonly allowed: boolean; readonly reason: string }
}

/** The variable `request`. Empty fields are absent. */
export function requestValue(
  request: AdmissionRequest,
  matched: ServedKind,
  matchedKind: GroupVersionKind,
): unknown {
  const { kind, objectKind, subresource, name, namespace, operation, dryRun, options } = request
  return dynamicValue({
    kind: kindValue(matchedKind),
    resource: resourceValue(matched),
    ...(subresource && { subResource: subresource }),
    requestKind: kindValue(objectKind),
    requestResource: resourceValue(kind),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userValue(request.user),
    dryRun,
    options,
  })
}

const kindValue = ({ group, version, kind }: GroupVersionKind): object => ({ group, version, kind })

const resourceValue = ({ group, version, plural }: ServedKind): object => ({
  group,
  version,
  resource: plural,
})

function userValue({ username, uid, groups, extra = {} }: UserInfo): object {
  return {
    ...(username && { username }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

/** The variable `namespaceObject`: without managedFields and ownerReferences, as in Kubernetes. */
export function namespaceValue(namespace: ApiObject | undefined): unknown {
  if (!namespace) return null
  const { managedFields: _fields, ownerReferences: _owners, ...metadata } = namespace.metadata
  return dynamicValue({ metadata, spec: namespace['spec'], status: namespace['status'] })
}

/** The variable `authorizer`: checks permissions of the requesting user or of a service account. */
export function authorizerValue(
  { user, kind, subresource = '', namespace, name }: AdmissionRequest,
  permissions: PermissionChecker,
  chargeCheck: () => void,
): AuthorizerValue {
  const { group, plural } = kind
  const request = { group, resource: plural, subresource, namespace, name }
  return new AuthorizerValue((query) => {
    chargeCheck()
    return permissions.allowed(userOf(query, user), attributesOf(query))
  }, request)
}

function userOf({ serviceAccount }: AuthorizationQuery, user: UserInfo): UserInfo {
  if (!serviceAccount) return user
  const { namespace, name } = serviceAccount
  // Not system:authenticated: this service account has not authenticated.
  const groups = serviceAccountGroups(namespace)
  return { username: serviceAccountUser(namespace, name), groups }
}

function attributesOf(query: AuthorizationQuery): Attributes {
  const { verb, path, group = '', resource = '', subresource = '', namespace, name } = query
  if (path !== undefined) return { verb, path }
  return {
    verb,
    group,
    resource,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(name && { name }),
  }
}
