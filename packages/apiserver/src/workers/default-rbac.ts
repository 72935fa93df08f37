import type { Authorizer } from '../authorization/authorizer.ts'
import { defaultClusterRoleBindings } from '../authorization/default-bindings.ts'
import { defaultClusterRoles } from '../authorization/default-roles.ts'
import type { RbacObject } from '../authorization/rbac-objects.ts'
import { rbacGroup } from '../authorization/rbac-objects.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { create } from '../verbs/create.ts'
import { objectKey, placeOfKey } from '../objects/object-key.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'

/** Keeps the authorizer's index up to date with stored roles and bindings. */
export function syncAuthorizer({ store, kinds }: VerbContext, authorizer: Authorizer): () => void {
  const updateAuthorizer = (key: string, value: string, type: 'present' | 'removed'): void => {
    const place = placeOfKey(key)
    const kind = place?.group === rbacGroup && kinds.findResource(rbacGroup, place.plural)?.kind
    if (!kind) return
    const object = { ...(JSON.parse(value) as ApiObject), kind } as unknown as RbacObject
    authorizer.update({ type, object })
  }
  for (const { key, value } of store.range({ prefix: `/registry/${rbacGroup}/` })) {
    updateAuthorizer(key, value, 'present')
  }
  return store.subscribe(({ key, value, before }) => {
    if (value !== undefined) updateAuthorizer(key, value, 'present')
    else if (before) updateAuthorizer(key, before.value, 'removed')
  })
}

/** Creates the default roles and bindings. Existing ones are not changed. */
export async function createDefaultRbac(context: VerbContext): Promise<void> {
  for (const object of [...defaultClusterRoles(), ...defaultClusterRoleBindings()]) {
    const kind = context.kinds.findKind(rbacGroup, 'v1', object.kind)!
    if (context.store.get(objectKey(kind, undefined, object.metadata.name))) continue
    await create(context, { kind }, object as unknown as ApiObject, ownWrite)
  }
}
