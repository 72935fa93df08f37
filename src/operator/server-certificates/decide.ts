import { sameJson } from '@machinist/core/encoding/json'
import { keyText } from '@machinist/core/objects/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import type { TrustRotation, TrustRotationSpec } from '../../api/kinds/trust-rotation.ts'
import { certificateTypes, labels, managedByOperator } from '../../api/labels.ts'
import { configMaps, names, secrets, userDataRecord } from '../../api/names.ts'
import {
  readUserDataRecord,
  updatedRecord,
  userDataRecordData,
} from '../../fleet/rotation/user-data-record.ts'
import type { ServerCertificatesFacts } from './facts.ts'
import { serverRotation, specWith } from './server-rotation.ts'

/** The writes; an absent write means that nothing differs. */
export interface ServerCertificatesPlan {
  readonly rotation?: RotationChange
  readonly record?: RecordChange
  /** Why the operator manages no certificates of the server. */
  readonly skipped?: string
}

export type RotationChange =
  /** The bundle is written first, so that the signer keeps the CA of existing user data. */
  | { readonly create: TrustRotation; readonly bundle?: ConfigMap }
  | { readonly replace: TrustRotation }

export type RecordChange =
  | { readonly create: ConfigMap }
  /** A merge patch; `null` removes a pool. */
  | {
      readonly metadata: { readonly resourceVersion?: string }
      readonly data: Readonly<Record<string, string | null>>
    }

/** Pure: the TrustRotation of the server, and the record of the CAs in user data. */
export function decide(facts: ServerCertificatesFacts): ServerCertificatesPlan {
  const record = recordChange(facts)
  return { ...rotationChange(facts), ...(record && { record }) }
}

function rotationChange(
  facts: ServerCertificatesFacts,
): Pick<ServerCertificatesPlan, 'rotation' | 'skipped'> {
  const { rotations, hostnames, certificate, caBundle } = facts
  const [found] = rotations
  if (found) {
    if (rotations.length > 1 || !isOurs(found)) return {}
    const spec = specWith(found.spec, hostnames)
    return spec ? { rotation: { replace: withSpec(found, spec) } } : {}
  }
  if (hostnames.length === 0) return { skipped: noHostnames }
  if (certificate === 'unmanaged') return { skipped: unmanaged }
  const bundle = caBundle === undefined ? undefined : bundleOf(caBundle)
  return { rotation: { create: serverRotation(hostnames), ...(bundle && { bundle }) } }
}

const noHostnames =
  'the names of the machine config server are unknown: status.apiServerInternalURI of Infrastructure cluster is not set'
const unmanaged = `Secret ${keyText(secrets.serverTLS)} is not managed by the signer, and stays as it is. To have it rotated, label it ${labels.managedCertificateType}=${certificateTypes.target}`

/** A user who removes the label owns the TrustRotation. */
const isOurs = ({ metadata }: Readonly<TrustRotation>): boolean =>
  metadata.name === names.serverRotation &&
  metadata.deletionTimestamp === undefined &&
  metadata.labels?.[managedByOperator.key] === managedByOperator.value

const withSpec = (found: Readonly<TrustRotation>, spec: TrustRotationSpec): TrustRotation => ({
  ...found,
  spec,
})

function bundleOf(pem: string): ConfigMap {
  const { namespace, name, key } = configMaps.serverCA
  return { metadata: { namespace, name }, data: { [key]: pem } }
}

function recordChange(facts: ServerCertificatesFacts): RecordChange | undefined {
  const { userData, record, isRecordKnown, now } = facts
  if (!userData || !isRecordKnown) return undefined
  const before = readUserDataRecord(record?.data)
  const data = userDataRecordData(updatedRecord(before, userData, now))
  if (!record) return { create: { metadata: { ...userDataRecord }, data } }
  if (sameJson(record.data ?? {}, data)) return undefined
  const gone = Object.keys(record.data ?? {}).filter((pool) => !Object.hasOwn(data, pool))
  const { resourceVersion } = record.metadata
  return {
    metadata: { ...(resourceVersion !== undefined && { resourceVersion }) },
    data: { ...data, ...Object.fromEntries(gone.map((pool) => [pool, null])) },
  }
}
