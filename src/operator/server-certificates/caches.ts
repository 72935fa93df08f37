import type { KubeObject } from '@machinist/core/objects/resource'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import { configMaps } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import { trustRotations } from '../../api/kinds/resources.ts'
import { userDataRecord } from '../../api/names.ts'
import type { PoolsCaches } from '../pools/inputs.ts'
import type { ServerCertificatesCaches } from './inputs.ts'

/** Creates the informers, besides those of pools and user data, and passes each to `keep`, which starts it. */
export function serverCertificatesCaches(
  { client, clock, random, log, metrics }: ControllerContext,
  shared: PoolsCaches,
  keep: (informer: Startable) => void,
): ServerCertificatesCaches {
  const follow = <T extends KubeObject>(resource: string, source: ListWatch<T>): Informer<T> => {
    const informer = new Informer<T>({ clock, random, log, metrics, resource, source })
    keep(informer)
    return informer
  }
  const { namespace, name } = userDataRecord
  const scope = { namespace, fields: `metadata.name=${name}` }
  const rotations = new OptionalSource(client.listWatch(trustRotations), clock)
  return {
    ...shared,
    trustRotations: follow(trustRotations.plural, rotations),
    hasTrustRotations: () => rotations.isServed,
    userDataRecord: follow(`configmaps ${name}`, client.listWatch(configMaps, scope)),
  }
}
