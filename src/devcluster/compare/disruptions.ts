import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { drainVerbs, nodeAnnotations } from '../../api/annotations.ts'

export interface Disruption {
  readonly cordons: number
  readonly drains: number
}

const none: Disruption = { cordons: 0, drains: 0 }

/** Counts cordons and drains from the changes of Nodes. */
export class Disruptions {
  readonly #counted = new Map<string, Disruption>()
  readonly stop: () => void

  constructor(followed: Pick<Informer<Node>, 'subscribe'>) {
    this.stop = followed.subscribe((change) => {
      if (change.type !== 'updated') return
      const { name } = change.object.metadata
      const { cordons, drains } = this.of(name)
      const more = disruption(change.before, change.object)
      this.#counted.set(name, { cordons: cordons + more.cordons, drains: drains + more.drains })
    })
  }

  of(node: string): Disruption {
    return this.#counted.get(node) ?? none
  }
}

/** Pure: the disruption of one change of a Node. */
export function disruption(before: Readonly<Node>, after: Readonly<Node>): Disruption {
  const isNewCordon = !before.spec?.unschedulable && after.spec?.unschedulable === true
  const requested = drainOf(after)
  const isNewDrain = requested.startsWith(`${drainVerbs.drain}-`) && requested !== drainOf(before)
  return { cordons: Number(isNewCordon), drains: Number(isNewDrain) }
}

const drainOf = ({ metadata }: Readonly<Node>): string =>
  metadata.annotations?.[nodeAnnotations.desiredDrain] ?? ''
