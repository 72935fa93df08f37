import type { NodeTrust, TrustRotation } from '../../api/resources.ts'
import * as api from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { formatFieldSelector } from '@machinist/core/field-selectors'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/resource'
import type { KubeClient, Scope } from '@machinist/kube/client'
import { Informer } from '@machinist/kube/informer/informer'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import type { RotationFacts } from '../../views/rotate/facts.ts'

/** A rotation that is followed. */
export interface Sight {
  /** As it is now; undefined if the TrustRotation is gone. */
  facts(): RotationFacts | undefined
  /** Called after every change. */
  subscribe(heard: () => void): void
}

/** Follows it and everybody who is concerned until the signal aborts. What could not be read at first is not followed. */
export async function follow(
  client: KubeClient,
  first: RotationFacts,
  clock: Clock,
  signal: AbortSignal,
): Promise<Sight> {
  const { trustedBy } = first.rotation.spec
  const { name } = first.rotation.metadata
  const all: Followed[] = []
  const keep = <T extends KubeObject>(
    place: Resource<T>,
    scope: Scope = {},
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
    // It never rejects.
    void informer.start(signal)
    all.push(informer)
    return informer
  }
  const rotations = keep(api.trustRotations, { fields: equal('metadata.name', name) })
  const machines = first.nodes && trustedBy && keep(nodes)
  const trusts =
    first.nodeTrusts && trustedBy && keep(api.nodeTrusts, {}, (each) => onlyItem(each, trustedBy))
  const pools = first.pools.length > 0 ? keep(api.machineConfigPools) : undefined
  const events = first.events && keep(coreEvents, { fields: eventsOf(name) })
  await Promise.all(all.map((informer) => informer.synced()))
  let lostAt: number | undefined
  return {
    subscribe: (heard) => {
      for (const informer of all) informer.subscribe(heard)
    },
    facts: () => {
      const rotation: Readonly<TrustRotation> | undefined = rotations.get(name)
      if (!rotation) return undefined
      const now = clock.now()
      lostAt = rotations.isConnected ? undefined : (lostAt ?? now)
      const isLost = lostAt !== undefined && now - lostAt > patienceMs
      return {
        ...first,
        now,
        rotation,
        ...(machines && { nodes: machines.list() }),
        ...(trusts && { nodeTrusts: trusts.list() }),
        ...(pools && { pools: pools.list() }),
        ...(events && { events: events.list() }),
        ...(isLost && { unheardSince: rotations.lastActivity ?? lostAt! }),
      }
    },
  }
}

/** Watches end and begin again all the time. */
const patienceMs = 5000

interface Followed {
  synced(): Promise<boolean>
  subscribe(heard: () => void): unknown
}

/** Selects the events of a TrustRotation. */
export function eventsOf(name: string): string {
  return `${equal('involvedObject.kind', 'TrustRotation')},${equal('involvedObject.name', name)}`
}

const equal = (path: string, value: string): string =>
  formatFieldSelector([{ path, equal: true, value }])

/** Of thousands of nodes only what is looked at is kept. */
function onlyItem(trust: NodeTrust, item: string): NodeTrust {
  const items = trust.status?.items?.filter(({ name }) => name === item)
  return items ? { ...trust, status: { items } } : trust
}
