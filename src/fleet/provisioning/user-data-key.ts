import type { ObjectKey } from '@machinist/core/objects/resource'
import { namespaces } from '../../api/names.ts'

/** Machine sets read user data in the namespace of the Machine API. Clusters without it have the user data beside the tokens. */
export const userDataNamespaces = [namespaces.machineAPI, namespaces.provisioning] as const
export type UserDataNamespace = (typeof userDataNamespaces)[number]

/** The Secret with the user data of a pool. */
export function userDataKey(
  pool: string,
  namespace: UserDataNamespace = namespaces.machineAPI,
): ObjectKey {
  return { namespace, name: `${pool}-user-data-managed` }
}
