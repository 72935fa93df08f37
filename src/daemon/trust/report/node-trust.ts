import type { Condition } from '@machinist/core/objects/resource'
import type { NodeTrustItem, NodeTrustStatus } from '../../../api/kinds/node-trust.ts'
import { nodeTrustConditions, setCondition } from '../../../api/conditions.ts'
import { nodeTrustReasons } from '../../../api/reasons.ts'
import type { CertificateDelivery } from '../../../api/trust/items.ts'
import { registryItem } from '../../../api/trust/items.ts'
import type { ItemDecision } from '../decide/decide-item.ts'
import type { ObservedConfig } from '../desired/followed-config.ts'
import type { Holding, ItemHandler, ObservedItem } from '../items/item.ts'

/** The state of an item after a pass. */
export interface ItemReport {
  readonly source: ItemHandler['source']
  readonly decision: ItemDecision
  /** Absent if the item could not be read. */
  readonly observed?: ObservedItem
  /** Why holdings failed, by name, if not the whole item failed. */
  readonly failures?: ReadonlyMap<string, string>
}

export interface ReportedTrust {
  readonly lines: readonly NodeTrustItem[]
  readonly requestedAt?: string | undefined
}

const mostCharacters = 2048
/** The API server stores up to 1.5 MiB, including managed fields for each line. */
const mostBytes = 1_000_000
const notedBytes = 400
const briefCharacters = 100

/** The lines of NodeTrust. */
export function trustLines(reports: readonly ItemReport[]): NodeTrustItem[] {
  return reports.flatMap((report) => {
    const { observed: look, decision } = report
    // An item that could not be read gets one line of its own.
    const holdings = look?.holdings ?? [{ name: decision.item, paths: [], certificates: [] }]
    return holdings.map((holding) => lineOf(holding, report))
  })
}

/** When the node requested a turn to restart the kubelet; undefined: it requests none. */
export function requestedTurn(reports: readonly ItemReport[]): string | undefined {
  return reports.find(({ observed: look }) => look?.restartRequestedAt !== undefined)?.observed
    ?.restartRequestedAt
}

export function trustStatus(
  { lines, requestedAt }: ReportedTrust,
  seen: ObservedConfig,
  before: NodeTrustStatus | undefined,
  now: string,
): NodeTrustStatus {
  const earliest = earliestOf(lines.flatMap(({ earliestNotAfter }) => earliestNotAfter ?? []))
  return {
    delivery: seen.delivery,
    observedResourceVersion: seen.version,
    observedGeneration: seen.generation,
    items: fitting(lines),
    ...(earliest !== undefined && { earliestNotAfter: earliest }),
    // A restarted daemon keeps its place in the queue, and a turn that has begun.
    ...(requestedAt !== undefined && { kubeletRestart: before?.kubeletRestart ?? { requestedAt } }),
    conditions: [...setCondition(before?.conditions, conditionOf(lines, seen.delivery), now)],
  }
}

/** The part of the status that causes a write: a new version of the ControllerConfig alone does not. */
export function comparableStatus(status: NodeTrustStatus): unknown {
  const { observedResourceVersion: _, observedGeneration: __, ...rest } = status
  return rest
}

/** With very many registries, their lines contain only state and digests, so that the object fits. */
function fitting(lines: readonly NodeTrustItem[]): NodeTrustItem[] {
  const bytes = JSON.stringify(lines).length + lines.length * notedBytes
  if (bytes <= mostBytes) return [...lines]
  return lines.map((line) => (line.name.startsWith(registryItem('')) ? brief(line) : line))
}

function brief(line: NodeTrustItem): NodeTrustItem {
  const { paths: _, certificates: __, source: ___, writtenAt: ____, message, ...kept } = line
  return { ...kept, ...(message !== undefined && { message: message.slice(0, briefCharacters) }) }
}

export const isCurrent = ({ state, wantedDigest, actualDigest }: NodeTrustItem): boolean =>
  state === 'Current' ||
  state === 'NotGiven' ||
  (state === 'Rendered' && wantedDigest === actualDigest)

function lineOf(
  holding: Holding,
  { source, decision, observed: look, failures }: ItemReport,
): NodeTrustItem {
  const desired = holding.desired ?? decision.desired
  const { state, message } = stateOf(holding, decision, failures)
  const earliest = earliestOf(holding.certificates.map(({ notAfter }) => notAfter))
  return {
    name: holding.name,
    state,
    ...(message !== undefined && { message: message.slice(0, mostCharacters) }),
    paths: [...holding.paths],
    ...(desired !== undefined && { wantedDigest: desired }),
    ...(holding.digest !== undefined && { actualDigest: holding.digest }),
    certificates: [...holding.certificates],
    ...(earliest !== undefined && { earliestNotAfter: earliest }),
    ...(holding.writtenAt !== undefined && { writtenAt: holding.writtenAt }),
    ...(look?.loadedAt !== undefined && { loadedAt: look.loadedAt }),
    source,
  }
}

/** A part of an item may be current while others are not. */
function stateOf(
  holding: Holding,
  decision: ItemDecision,
  failures: ReadonlyMap<string, string> | undefined,
): Pick<NodeTrustItem, 'state' | 'message'> {
  const { problem, desired, digest, name } = holding
  if (problem !== undefined) return { state: 'Failed', message: problem }
  const failure = failures?.get(name)
  if (failure !== undefined) return { state: 'Failed', message: failure }
  if (desired !== undefined && desired === digest && decision.state !== 'Rendered') {
    return { state: 'Current' }
  }
  const { state, message } = decision
  return { state, ...(message !== undefined && { message }) }
}

function conditionOf(
  lines: readonly NodeTrustItem[],
  delivery: CertificateDelivery,
): Omit<Condition, 'lastTransitionTime'> {
  const type = nodeTrustConditions.current
  const behind = lines.filter((line) => !isCurrent(line))
  const [first] = behind
  if (!first) {
    return {
      type,
      status: 'True',
      reason: nodeTrustReasons.asWanted,
      message: `all ${lines.length} items are current (${delivery} delivery)`,
    }
  }
  const isFailed = behind.some(({ state }) => state === 'Failed')
  const isRendered = behind.every(({ state }) => state === 'Rendered')
  const reason = isFailed
    ? nodeTrustReasons.failed
    : isRendered
      ? nodeTrustReasons.leftToMachineConfigs
      : nodeTrustReasons.lagging
  const texts = behind.map(
    ({ name, message }) => `${name}: ${message ?? 'differs from the desired state'}`,
  )
  return { type, status: 'False', reason, message: texts.join('; ').slice(0, mostCharacters) }
}

/** All timestamps have the same format, so they sort as text. */
const earliestOf = (times: readonly string[]): string | undefined => [...times].sort()[0]
