import { sameJson } from '@machinist/core/encoding/json'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { Secret } from '@machinist/kube/kinds/core'
import { labels } from '../../api/labels.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { noNewerThan } from '../../fleet/provisioning/pointer.ts'
import { poolOwner } from '../../fleet/provisioning/token-rotation.ts'
import type { UserDataNamespace } from '../../fleet/provisioning/user-data-key.ts'
import { userDataKey } from '../../fleet/provisioning/user-data-key.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** The user data Secret of a pool. Machine sets reference it. */
export function userDataSecret(
  pool: Readonly<MachineConfigPool>,
  pointer: string,
  namespace?: UserDataNamespace,
): Secret {
  return {
    metadata: {
      ...userDataKey(pool.metadata.name, namespace),
      labels: { [labels.caDerivedFromConfigMap]: '' },
      ownerReferences: [poolOwner(pool)],
    },
    type: 'Opaque',
    data: { disableTemplating: base64('true\n'), userData: base64(pointer) },
  }
}

/** A merge patch with the resourceVersion of the Secret. */
export interface UserDataPatch {
  readonly metadata: {
    readonly resourceVersion?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly OwnerReference[]
  }
  /** `null` removes a key. */
  readonly data?: Readonly<Record<string, string | null>>
}

/** The change from the found to the desired Secret; labels and owners of other writers stay. */
export function userDataPatch(desired: Secret, found: Readonly<Secret>): UserDataPatch | undefined {
  const { labels: existing = {}, ownerReferences = [], resourceVersion } = found.metadata
  const isLabelled = existing[labels.caDerivedFromConfigMap] === ''
  const owner = desired.metadata.ownerReferences![0]!
  const isNamesake = ({ kind, name }: OwnerReference): boolean =>
    kind === owner.kind && name === owner.name
  const isOwned = ownerReferences.some((one) => isNamesake(one) && one.uid === owner.uid)
  // A namesake with another uid is a deleted pool.
  const others = ownerReferences.filter((one) => !isNamesake(one))
  const data = { ...desired.data, userData: userDataOver(found, desired) }
  const isUpToDate = sameJson(found.data ?? {}, data)
  if (isLabelled && isOwned && isUpToDate) return undefined
  const surplus = Object.keys(found.data ?? {}).filter((key) => !Object.hasOwn(desired.data!, key))
  return {
    metadata: {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(!isLabelled && { labels: { [labels.caDerivedFromConfigMap]: '' } }),
      ...(!isOwned && { ownerReferences: [...others, owner] }),
    },
    ...(!isUpToDate && {
      data: { ...Object.fromEntries(surplus.map((key) => [key, null])), ...data },
    }),
  }
}

const userDataOver = (found: Readonly<Secret>, desired: Secret): string =>
  base64(noNewerThan(userDataIn(found), userDataIn(desired)))

/** The pointer in a user data Secret. */
export const userDataIn = (secret: Readonly<Secret> | undefined): string =>
  Buffer.from(secret?.data?.['userData'] ?? '', 'base64').toString()
