import type { Secret } from '@machinist/kube/kinds/core'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { builtInPool, missingLabels } from './default-pools.ts'
import type { PoolsFacts } from './facts.ts'
import { pointerConfig, serverHost } from './pointer.ts'
import type { UserDataPatch } from './user-data.ts'
import { userDataPatch, userDataSecret } from './user-data.ts'

export type PoolChange =
  { readonly create: MachineConfigPool } | { readonly labels: Readonly<Record<string, string>> }

export type UserDataChange =
  | { readonly create: Secret }
  | { readonly patch: UserDataPatch }
  /** Why the user data cannot be written. */
  | { readonly skipped: string }

/** The writes; an absent write means that nothing differs. */
export interface PoolsPlan {
  readonly pool?: PoolChange
  readonly userData?: UserDataChange
}

/** Pure: the missing parts of one pool and of its user data. */
export function decide(facts: PoolsFacts): PoolsPlan {
  const pool = poolChange(facts)
  const userData = userDataChange(facts)
  return { ...(pool && { pool }), ...(userData && { userData }) }
}

export const noMachineAPI = 'namespace openshift-machine-api does not exist'
const notReachable =
  'cannot read Namespaces, or Secrets of openshift-machine-api: grant the operator list and watch permissions'

function poolChange({ name, pool, controllerConfig }: PoolsFacts): PoolChange | undefined {
  const desired = builtInPool(name, controllerConfig?.spec.infra?.status?.controlPlaneTopology)
  if (!desired || pool?.metadata.deletionTimestamp !== undefined) return undefined
  if (!pool) return { create: desired }
  const labels = missingLabels(desired, pool)
  return labels && { labels }
}

/** An existing Secret stays unchanged while an input is missing. */
function userDataChange(facts: PoolsFacts): UserDataChange | undefined {
  const { name, pool, controllerConfig, hasMachineAPI, isUserDataKnown, userData } = facts
  if (!pool || pool.metadata.deletionTimestamp !== undefined) return undefined
  if (!isUserDataKnown) return { skipped: notReachable }
  if (!hasMachineAPI) return { skipped: noMachineAPI }
  const { infra, rootCAData } = controllerConfig?.spec ?? {}
  const host = serverHost(infra)
  if (host === undefined)
    return {
      skipped:
        'the host of the internal API is unknown: status.apiServerInternalURI of Infrastructure cluster is not set',
    }
  if (!rootCAData)
    return {
      skipped:
        'the CA of the machine config server is unknown: rootCAData of the ControllerConfig is not set',
    }
  const pointer = pointerConfig(host, name, Buffer.from(rootCAData, 'base64'), facts.pointerVersion)
  const desired = userDataSecret(pool, pointer)
  if (!userData) return { create: desired }
  const patch = userDataPatch(desired, userData)
  return patch && { patch }
}
