import type { Clock } from '@machinist/core/clock'
import { formatFieldSelector } from '@machinist/core/objects/field-selectors'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient, ListWatchScope } from '@machinist/kube/client/client'
import { Informer } from '@machinist/kube/informer/informer'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import type { NodeTrust, TrustRotation } from '../../../api/kinds/resources.ts'
import * as api from '../../../api/kinds/resources.ts'
import type { RotationFacts } from '../../../views/rotate/facts.ts'

/** A rotation with caches that follow it. */
export interface FollowedRotation {
  /** The current facts; undefined if the TrustRotation was deleted. */
  facts(): RotationFacts | undefined
  /** Called after every change. */
  subscribe(notify: () => void): void
}

/** Follows a rotation and its nodes until the signal aborts. Kinds that could not be read at first are not followed. */
export async function followRotation(
  client: KubeClient,
  first: RotationFacts,
  clock: Clock,
  signal: AbortSignal,
): Promise<FollowedRotation> {
  const { trustedBy } = first.rotation.spec
  const { name } = first.rotation.metadata
  const all: FollowedCache[] = []
  const follow = <T extends KubeObject>(
    place: Resource<T>,
    scope: ListWatchScope = {},
    transform?: (object: T) => T,
  ): Informer<T> => {
    const informer = new Informer<T>({
      resource: place.plural,
      source: client.listWatch(place, scope),
      ...(transform && { transform }),
      clock,
      random: systemRandom,
      log: silentLogger,
      metrics: new Metrics(),
    })
    // start() never rejects.
    void informer.start(signal)
    all.push(informer)
    return informer
  }
  const rotations = follow(api.trustRotations, { fields: equal('metadata.name', name) })
  const machines = first.nodes && trustedBy && follow(nodes)
  const trusts =
    first.nodeTrusts && trustedBy && follow(api.nodeTrusts, {}, (each) => onlyItem(each, trustedBy))
  const pools = first.pools.length > 0 ? follow(api.machineConfigPools) : undefined
  const events = first.events && follow(coreEvents, { fields: eventSelector(name) })
  await Promise.all(all.map((informer) => informer.synced()))
  let disconnectedAt: number | undefined
  return {
    subscribe: (notify) => {
      for (const informer of all) informer.subscribe(notify)
    },
    facts: () => {
      const rotation: Readonly<TrustRotation> | undefined = rotations.get(name)
      if (!rotation) return undefined
      const now = clock.now()
      disconnectedAt = rotations.isConnected ? undefined : (disconnectedAt ?? now)
      const isLost = disconnectedAt !== undefined && now - disconnectedAt > disconnectGraceMs
      return {
        ...first,
        now,
        rotation,
        ...(machines && { nodes: machines.list() }),
        ...(trusts && { nodeTrusts: trusts.list() }),
        ...(pools && { pools: pools.list() }),
        ...(events && { events: events.list() }),
        ...(isLost && { disconnectedSince: rotations.lastActivity ?? disconnectedAt! }),
      }
    },
  }
}

/** Watches end and restart all the time; a shorter interruption is not reported. */
const disconnectGraceMs = 5000

interface FollowedCache {
  synced(): Promise<boolean>
  subscribe(notify: () => void): unknown
}

/** Selects the events of a TrustRotation. */
export function eventSelector(name: string): string {
  return `${equal('involvedObject.kind', 'TrustRotation')},${equal('involvedObject.name', name)}`
}

const equal = (path: string, value: string): string =>
  formatFieldSelector([{ path, equal: true, value }])

/** Keeps only the item of the rotation: there can be thousands of nodes. */
function onlyItem(trust: NodeTrust, item: string): NodeTrust {
  const items = trust.status?.items?.filter(({ name }) => name === item)
  return items ? { ...trust, status: { items } } : trust
}
