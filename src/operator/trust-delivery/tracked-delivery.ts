import { sameJson } from '@machinist/core/encoding/json'
import type { Condition } from '@machinist/core/objects/resource'
import type { Change } from '@machinist/kube/informer/change'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeFacts } from '@machinist/kube/nodes/node-facts'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { conditionOf, trustDelivered } from '../../api/conditions.ts'
import type { ControllerConfig, NodeTrust } from '../../api/kinds/resources.ts'
import { isManaged } from '../../api/labels.ts'
import { names } from '../../api/names.ts'
import { readTrustDigests } from '../../api/trust/digests.ts'
import { trustReportOf } from '../../fleet/trust/delivery-state.ts'
import { Tally } from './tally.ts'

/** The delivery of trust items to all nodes, updated by each change. A method returns whether its change is relevant. */
export class TrackedDelivery {
  readonly tally = new Tally()
  /** The uid and the condition of the current ControllerConfig. */
  #uid: string | undefined
  #condition: Condition | undefined
  #isRestored = false

  /** Whether there is a ControllerConfig. */
  get isConfigured(): boolean {
    return this.#uid !== undefined
  }

  /** The newest condition of the ControllerConfig, including the last write. */
  get condition(): Condition | undefined {
    return this.#condition
  }

  wrote(condition: Condition | undefined): void {
    this.#condition = condition
  }

  /** After a restart, nodes that lag have lagged since the transition time of the condition. */
  restoreSince(): void {
    if (!this.isConfigured || this.#isRestored) return
    this.#isRestored = true
    const { status, lastTransitionTime } = this.#condition ?? {}
    const since = Date.parse(lastTransitionTime ?? '')
    if (status === 'False' && Number.isFinite(since)) this.tally.restoreSince(since)
  }

  controllerConfigChanged({ type, object }: Change<ControllerConfig>, now: number): boolean {
    if (object.metadata.name !== names.controllerConfig) return false
    const { metadata, status } = type === 'deleted' ? {} : object
    const { trustDigests } = ownControllerConfigAnnotations
    const digests = readTrustDigests(metadata?.annotations?.[trustDigests])
    const condition = conditionOf(status?.conditions, trustDelivered)
    const isOther = metadata?.uid !== this.#uid
    const isDesiredChanged = isOther || !sameJson(digests, this.tally.desired)
    if (!isDesiredChanged && sameJson(condition, this.#condition)) return false
    if (isOther) this.#isRestored = false
    if (isDesiredChanged) this.tally.setDesired(digests, now)
    this.#uid = metadata?.uid
    this.#condition = condition
    return true
  }

  nodeChanged(change: Change<Node>, now: number): boolean {
    const { name, labels } = change.object.metadata
    if (!isManaged(labels)) return false
    if (change.type === 'deleted') this.tally.removeNode(name)
    else {
      const facts = nodeFacts(change.object)
      if (change.type === 'updated' && sameJson(facts, nodeFacts(change.before))) return false
      this.tally.addNode(name, facts, now)
    }
    return true
  }

  nodeTrustChanged(change: Change<NodeTrust>, now: number): boolean {
    const { metadata, status } = change.object
    const report = change.type === 'deleted' ? undefined : trustReportOf(status)
    this.tally.setReport(metadata.name, report, now)
    return true
  }
}
