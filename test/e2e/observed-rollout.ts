import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { factsOf, isDisrupted } from '../../src/fleet/rollout/node-facts.ts'
import { currentConfig } from './running-cluster.ts'

/** Records the disruption of nodes from the changes of Nodes. */
export class ObservedRollout {
  /** The maximum number of nodes of each pool that were out of service at once. */
  readonly maxDisrupted = new Map<string, number>()
  /** The steps of each node, in order, without repetition. */
  readonly steps = new Map<string, string[]>()
  /** Nodes in the order of their first disruption. */
  readonly order: string[] = []
  readonly #latest = new Map<string, Readonly<Node>>()
  readonly stop: () => void

  constructor(followed: Informer<Node>) {
    for (const node of followed.list()) this.#latest.set(node.metadata.name, node)
    this.stop = followed.subscribe((change) => {
      if (change.type === 'deleted' || (change.type === 'added' && change.initial)) return
      this.#record(change.object)
    })
  }

  #record(node: Readonly<Node>): void {
    const { name } = node.metadata
    const before = this.#latest.get(name)
    this.#latest.set(name, node)
    if (before) this.#recordSteps(name, before, node)
    const pool = poolIn(name)
    const disrupted = [...this.#latest.values()].filter(
      (each) => poolIn(each.metadata.name) === pool && isDisrupted(factsOf(each)),
    )
    this.maxDisrupted.set(pool, Math.max(this.maxDisrupted.get(pool) ?? 0, disrupted.length))
    if (isDisrupted(factsOf(node)) && !this.order.includes(name)) this.order.push(name)
  }

  #recordSteps(name: string, before: Readonly<Node>, node: Readonly<Node>): void {
    const steps = this.steps.get(name) ?? []
    this.steps.set(name, steps)
    const cordoned = (each: Readonly<Node>): boolean => each.spec?.unschedulable === true
    if (cordoned(before) !== cordoned(node)) steps.push(cordoned(node) ? 'cordoned' : 'uncordoned')
    if (bootOf(before) !== bootOf(node)) steps.push('rebooted')
    if (currentConfig(before) !== currentConfig(node)) steps.push('updated')
  }
}

const poolIn = (node: string): string => node.replace(/-\d+$/, '')
const bootOf = ({ status }: Readonly<Node>): string | undefined => status?.nodeInfo?.bootID
