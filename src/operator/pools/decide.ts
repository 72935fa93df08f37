import type { ObjectKey } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { Secret } from '@machinist/kube/kinds/core'
import { labels } from '../../api/labels.ts'
import { namespaces } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { pointerConfig, tokenIn } from '../../fleet/provisioning/pointer.ts'
import { serverHost } from '../../fleet/provisioning/server-host.ts'
import { managedTokenKey } from '../../fleet/provisioning/token-secret.ts'
import type { UserDataNamespace } from '../../fleet/provisioning/user-data-key.ts'
import { builtInPool, missingLabels } from './default-pools.ts'
import type { PoolsFacts } from './facts.ts'
import type { UserDataPatch } from './user-data.ts'
import { userDataIn, userDataPatch, userDataSecret } from './user-data.ts'

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
  /** User data in a place where it is not maintained any more. */
  readonly removal?: UserDataRemoval
}

export interface UserDataRemoval {
  readonly key: ObjectKey
  readonly uid: string
}

/** Pure: the missing parts of one pool and of its user data. */
export function decide(facts: PoolsFacts): PoolsPlan {
  const pool = poolChange(facts)
  const userData = userDataChange(facts)
  const removal = removalOf(facts)
  return { ...(pool && { pool }), ...(userData && { userData }), ...(removal && { removal }) }
}

const notReachable =
  'cannot read Namespaces, or Secrets of openshift-machine-api and machinist-provisioning: grant the operator list and watch permissions'

function poolChange({ name, pool, controllerConfig }: PoolsFacts): PoolChange | undefined {
  const desired = builtInPool(name, controllerConfig?.spec.infra?.status?.controlPlaneTopology)
  if (!desired || pool?.metadata.deletionTimestamp !== undefined) return undefined
  if (!pool) return { create: desired }
  const missing = missingLabels(desired, pool)
  return missing && { labels: missing }
}

/** An existing Secret stays unchanged while an input is missing. */
function userDataChange(facts: PoolsFacts): UserDataChange | undefined {
  const { name, pool, controllerConfig, hasMachineAPI, isUserDataKnown, userData } = facts
  if (!pool || pool.metadata.deletionTimestamp !== undefined) return undefined
  if (!isUserDataKnown) return { skipped: notReachable }
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
  if (facts.token === undefined && !userData)
    return {
      skipped: `the pool has no provisioning token: Secret ${keyText(managedTokenKey(name))} does not exist, or is not readable`,
    }
  const pointer = pointerConfig({
    host,
    pool: name,
    caBundle: Buffer.from(rootCAData, 'base64'),
    version: facts.pointerVersion,
    // A CA must reach user data even while the token is missing: the existing user data keeps its token.
    token: facts.token ?? tokenIn(userDataIn(userData)),
  })
  const desired = userDataSecret(pool, pointer, placeOf(hasMachineAPI))
  if (!userData) return { create: desired }
  const patch = userDataPatch(desired, userData)
  return patch && { patch }
}

/** Only after the Machine API has the user data, and only what the operator wrote. */
function removalOf({ userData, leftUserData }: PoolsFacts): UserDataRemoval | undefined {
  if (!userData || !leftUserData) return undefined
  const { labels: given = {}, uid = '', deletionTimestamp } = leftUserData.metadata
  const isOurs = given[labels.caDerivedFromConfigMap] === ''
  return isOurs && deletionTimestamp === undefined ? { key: keyOf(leftUserData), uid } : undefined
}

export const placeOf = (hasMachineAPI: boolean): UserDataNamespace =>
  hasMachineAPI ? namespaces.machineAPI : namespaces.provisioning
