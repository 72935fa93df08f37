import { serviceAccountGroups, serviceAccountUser } from '../authentication/user-info.ts'
import type { UserInfo } from '../authentication/user-info.ts'
import type { Attributes } from '../authorization/attributes.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { CheckQuestion } from '../schema/cel-authorizer.ts'
import { AuthorizerValue } from '../schema/cel-authorizer.ts'
import { dynamicValue } from '../schema/cel-values.ts'
import type { AdmissionRequest, GroupVersionKind } from './admission-request.ts'

/** Whoever knows what users may do. */
export interface Rights {
  allowed(
    user: UserInfo,
    attributes: Attributes,
  ): { readonly allowed: boolean; readonly reason: string }
}

/** `request` as expressions see it. What is empty is not there. */
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

/** `namespaceObject`: of the metadata only what concerns everybody. */
export function namespaceValue(namespace: ApiObject | undefined): unknown {
  if (!namespace) return null
  const { managedFields: _fields, ownerReferences: _owners, ...metadata } = namespace.metadata
  return dynamicValue({ metadata, spec: namespace['spec'], status: namespace['status'] })
}

/** `authorizer`: asks for the rights of whoever makes the request, or of a service account. */
export function authorizerValue(
  { user, kind, subresource = '', namespace, name }: AdmissionRequest,
  rights: Rights,
  chargeCheck: () => void,
): AuthorizerValue {
  const { group, plural } = kind
  const request = { group, resource: plural, subresource, namespace, name }
  return new AuthorizerValue((question) => {
    chargeCheck()
    return rights.allowed(userOf(question, user), attributesOf(question))
  }, request)
}

function userOf({ serviceAccount }: CheckQuestion, user: UserInfo): UserInfo {
  if (!serviceAccount) return user
  const { namespace, name } = serviceAccount
  // Nobody has authenticated it, so it is not in the group of those who are.
  const groups = serviceAccountGroups(namespace)
  return { username: serviceAccountUser(namespace, name), groups }
}

function attributesOf(question: CheckQuestion): Attributes {
  const { verb, path, group = '', resource = '', subresource = '', namespace, name } = question
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
