import { labels } from '../../api/labels.ts'
import { namespaces } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'
import type { ObjectKey, OwnerReference } from '@machinist/core/resource'
import { apiVersionOf } from '@machinist/core/resource'
import type { Secret } from '@machinist/kube/kinds/core'
import { noNewerThan } from './pointer.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** What machine sets give to new machines of a pool. */
export function userDataKey(pool: string): ObjectKey {
  return { namespace: namespaces.machineAPI, name: `${pool}-user-data-managed` }
}

export function userDataSecret({ metadata }: Readonly<MachineConfigPool>, pointer: string): Secret {
  const { name, uid = '' } = metadata
  return {
    metadata: {
      name: userDataKey(name).name,
      namespace: namespaces.machineAPI,
      labels: { [labels.caDerivedFromConfigMap]: '' },
      ownerReferences: [
        { apiVersion: apiVersionOf(machineConfigPools), kind: machineConfigPools.kind, name, uid },
      ],
    },
    type: 'Opaque',
    data: { disableTemplating: base64('true\n'), userData: base64(pointer) },
  }
}

/** A merge patch, refused by the server when the Secret is not as it was seen. */
export interface UserDataPatch {
  readonly metadata: {
    readonly resourceVersion?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly OwnerReference[]
  }
  /** `null` removes one. */
  readonly data?: Readonly<Record<string, string | null>>
}

/** What has to change for the Secret to be as wanted; labels and owners that others added stay. */
export function userDataPatch(wanted: Secret, found: Readonly<Secret>): UserDataPatch | undefined {
  const { labels: has = {}, ownerReferences = [], resourceVersion } = found.metadata
  const isLabelled = has[labels.caDerivedFromConfigMap] === ''
  const owner = wanted.metadata.ownerReferences![0]!
  const isNamesake = ({ kind, name }: OwnerReference): boolean =>
    kind === owner.kind && name === owner.name
  const isOwned = ownerReferences.some((one) => isNamesake(one) && one.uid === owner.uid)
  // A namesake with another uid was a pool that is gone.
  const others = ownerReferences.filter((one) => !isNamesake(one))
  const data = { ...wanted.data, userData: userDataOver(found, wanted) }
  const holds = sameJson(found.data ?? {}, data)
  if (isLabelled && isOwned && holds) return undefined
  const surplus = Object.keys(found.data ?? {}).filter((key) => !Object.hasOwn(wanted.data!, key))
  return {
    metadata: {
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(!isLabelled && { labels: { [labels.caDerivedFromConfigMap]: '' } }),
      ...(!isOwned && { ownerReferences: [...others, owner] }),
    },
    ...(!holds && {
      data: { ...Object.fromEntries(surplus.map((key) => [key, null])), ...data },
    }),
  }
}

function userDataOver(found: Readonly<Secret>, wanted: Secret): string {
  const [before, after] = [found, wanted].map(({ data }) =>
    Buffer.from(data?.['userData'] ?? '', 'base64').toString(),
  ) as [string, string]
  return base64(noNewerThan(before, after))
}
