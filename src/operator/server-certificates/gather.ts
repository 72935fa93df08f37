import type { Clock } from '@machinist/core/clock'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Secret } from '@machinist/kube/kinds/core'
import { secrets as secretKind } from '@machinist/kube/kinds/core'
import { certificateTypes, labels } from '../../api/labels.ts'
import { names, secrets, userDataRecord } from '../../api/names.ts'
import { pointerAuthorities } from '../../fleet/provisioning/pointer-authorities.ts'
import { serverNames } from '../../fleet/provisioning/server-names.ts'
import { userDataKey, userDataNamespaces } from '../../fleet/provisioning/user-data-key.ts'
import { userDataIn as pointerIn } from '../pools/user-data.ts'
import type { ServerCertificatesFacts } from './facts.ts'
import type { ServerCertificatesCaches } from './inputs.ts'
import { isOfServer } from './server-rotation.ts'

/** Undefined while the cluster facts or TrustRotations are unknown. */
export async function gather(
  caches: ServerCertificatesCaches,
  clock: Clock,
  step: Pick<StepContext, 'client' | 'signal'>,
): Promise<ServerCertificatesFacts | undefined> {
  const { infra, rootCAData } = caches.controllerConfigs.get(names.controllerConfig)?.spec ?? {}
  if (!infra || !caches.hasTrustRotations()) return undefined
  const rotations = caches.trustRotations.list().filter(isOfServer)
  return {
    now: clock.now(),
    hostnames: serverNames(infra),
    rotations,
    certificate: rotations.length > 0 ? undefined : await certificateState(step),
    caBundle: rootCAData ? Buffer.from(rootCAData, 'base64').toString() : undefined,
    userData: userDataIn(caches),
    record: caches.userDataRecord.get(userDataRecord),
    isRecordKnown: caches.userDataRecord.hasSynced,
  }
}

/** Read once, before the rotation is created, and without its key. */
async function certificateState({
  client,
  signal,
}: Pick<StepContext, 'client' | 'signal'>): Promise<ServerCertificatesFacts['certificate']> {
  const found = await ignoreNotFound(
    client.getMetadata(secretKind, { ...secrets.serverTLS }, { signal }),
  )
  if (!found) return 'absent'
  const type = found.metadata.labels?.[labels.managedCertificateType]
  return type === certificateTypes.target ? 'managed' : 'unmanaged'
}

function userDataIn(caches: ServerCertificatesCaches): ServerCertificatesFacts['userData'] {
  const { pools, userData, provisioning } = caches
  if (![pools, userData, provisioning].every(({ hasSynced }) => hasSynced)) return undefined
  return new Map(
    pools.list().flatMap(({ metadata: { name } }) => {
      const secrets = userDataNamespaces.flatMap((namespace) => {
        const key = userDataKey(name, namespace)
        return userData.get(key) ?? provisioning.get(key) ?? []
      })
      return secrets.length > 0 ? [[name, inAll(secrets.map(authoritiesIn))] as const] : []
    }),
  )
}

/** While user data moves from one namespace to another, machines may be created with either. */
function inAll(sets: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = sets
  return first.filter((each) => others.every((other) => other.includes(each)))
}

/** By object: caches keep an object until it changes, and pools change often. */
const known = new WeakMap<Readonly<Secret>, readonly string[]>()

function authoritiesIn(secret: Readonly<Secret>): readonly string[] {
  const before = known.get(secret)
  if (before) return before
  const authorities = pointerAuthorities(pointerIn(secret))
  known.set(secret, authorities)
  return authorities
}
