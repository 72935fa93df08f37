import type { ControllerConfig, MachineConfigPool } from '../../api/resources.ts'
import type { Secret } from '@machinist/kube/kinds/core'
import { builtInPool, missingLabels } from './default-pools.ts'
import type { PointerVersion } from './pointer.ts'
import { pointerConfig, serverHost } from './pointer.ts'
import type { UserDataPatch } from './user-data.ts'
import { userDataPatch, userDataSecret } from './user-data.ts'

/** All that is known about one pool, which may not exist yet. */
export interface Facts {
  readonly name: string
  readonly pool: Readonly<MachineConfigPool> | undefined
  readonly controllerConfig: Readonly<ControllerConfig> | undefined
  /** Whether machines are made from machine sets here. */
  readonly hasMachineAPI: boolean
  /** Whether the API says what there is of it. */
  readonly isUserDataKnown: boolean
  readonly userData: Readonly<Secret> | undefined
  readonly version?: PointerVersion
}

export type PoolChange =
  { readonly create: MachineConfigPool } | { readonly labels: Readonly<Record<string, string>> }

export type UserDataChange =
  | { readonly create: Secret }
  | { readonly patch: UserDataPatch }
  /** Why nothing can be written. */
  | { readonly skipped: string }

/** Nothing that is as it should be is in it. */
export interface Plan {
  readonly pool?: PoolChange
  readonly userData?: UserDataChange
}

/** Pure: what one pool, and what its new machines are born with, lacks. */
export function decide(facts: Facts): Plan {
  const pool = poolChange(facts)
  const userData = userDataChange(facts)
  return { ...(pool && { pool }), ...(userData && { userData }) }
}

export const noMachineAPI = 'there is no namespace openshift-machine-api'
const notKnown =
  'the API does not say what there is of it: see to it that the operator may list and watch Namespaces, and Secrets of openshift-machine-api'

function poolChange({ name, pool, controllerConfig }: Facts): PoolChange | undefined {
  const wanted = builtInPool(name, controllerConfig?.spec.infra?.status?.controlPlaneTopology)
  if (!wanted || pool?.metadata.deletionTimestamp !== undefined) return undefined
  if (!pool) return { create: wanted }
  const labels = missingLabels(wanted, pool)
  return labels && { labels }
}

/** What is missing is never replaced by something empty: the Secret that is there stays as it is. */
function userDataChange(facts: Facts): UserDataChange | undefined {
  const { name, pool, controllerConfig, hasMachineAPI, isUserDataKnown, userData, version } = facts
  if (!pool || pool.metadata.deletionTimestamp !== undefined) return undefined
  if (!isUserDataKnown) return { skipped: notKnown }
  if (!hasMachineAPI) return { skipped: noMachineAPI }
  const { infra, rootCAData } = controllerConfig?.spec ?? {}
  const host = serverHost(infra)
  if (host === undefined) return { skipped: 'the host of the internal API is not known' }
  if (!rootCAData) return { skipped: 'the CA of the server for new machines is not known' }
  const pointer = pointerConfig(host, name, Buffer.from(rootCAData, 'base64'), version)
  const wanted = userDataSecret(pool, pointer)
  if (!userData) return { create: wanted }
  const patch = userDataPatch(wanted, userData)
  return patch && { patch }
}
