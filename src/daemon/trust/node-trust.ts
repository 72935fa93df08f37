import type { NodeTrustItem, NodeTrustStatus } from '../../api/kinds/node-trust.ts'
import { nodeTrustConditions, setCondition } from '../../api/conditions.ts'
import { nodeTrustReasons } from '../../api/reasons.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import { registryItem } from '../../api/trust/items.ts'
import type { Condition } from '@machinist/core/resource'
import type { ItemDecision } from './decide.ts'
import type { SeenConfig } from './followed-config.ts'
import type { Holding, ItemHandler, Look } from './item.ts'

/** An item after everything was done that could be done now. */
export interface ItemReport {
  readonly source: ItemHandler['source']
  readonly decision: ItemDecision
  /** Absent if nobody could look. */
  readonly look?: Look
  /** By holding: why it is not as wanted, where not all of the item failed. */
  readonly failures?: ReadonlyMap<string, string>
}

export interface Reported {
  readonly lines: readonly NodeTrustItem[]
  readonly requestedAt?: string | undefined
}

const mostCharacters = 2048
/** An API server stores half as much again, and about each line it notes who wrote which field. */
const mostBytes = 1_000_000
const notedBytes = 400
const briefCharacters = 100

/** The lines of a node's ledger. */
export function trustLines(reports: readonly ItemReport[]): NodeTrustItem[] {
  return reports.flatMap((report) => {
    const { look, decision } = report
    // Where parts are items of their own, an item without parts has nothing to tell unless it is in trouble.
    const holdings = look?.holdings ?? [{ name: decision.item, paths: [], certificates: [] }]
    return holdings.map((holding) => lineOf(holding, report))
  })
}

/** The turn to restart the kubelet that the node requests; undefined: none. */
export function requestedTurn(reports: readonly ItemReport[]): string | undefined {
  return reports.find(({ look }) => look?.restartRequestedAt !== undefined)?.look
    ?.restartRequestedAt
}

export function trustStatus(
  { lines, requestedAt }: Reported,
  seen: SeenConfig,
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
    // A daemon that starts again keeps its place in the queue, and the turn that it has begun.
    ...(requestedAt !== undefined && { kubeletRestart: before?.kubeletRestart ?? { requestedAt } }),
    conditions: [...setCondition(before?.conditions, conditionOf(lines, seen.delivery), now)],
  }
}

/** Whether it says something new: which version of the ControllerConfig it tells about is no news by itself. */
export function tells(status: NodeTrustStatus): unknown {
  const { observedResourceVersion: _, observedGeneration: __, ...news } = status
  return news
}

/** With very many registries, theirs tell no more than how they are: all digests are needed to know whether all is well. */
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

function lineOf(holding: Holding, { source, decision, look, failures }: ItemReport): NodeTrustItem {
  const wanted = holding.wanted ?? decision.wanted
  const { state, message } = stateOf(holding, decision, failures)
  const earliest = earliestOf(holding.certificates.map(({ notAfter }) => notAfter))
  return {
    name: holding.name,
    state,
    ...(message !== undefined && { message: message.slice(0, mostCharacters) }),
    paths: [...holding.paths],
    ...(wanted !== undefined && { wantedDigest: wanted }),
    ...(holding.digest !== undefined && { actualDigest: holding.digest }),
    certificates: [...holding.certificates],
    ...(earliest !== undefined && { earliestNotAfter: earliest }),
    ...(holding.writtenAt !== undefined && { writtenAt: holding.writtenAt }),
    ...(look?.loadedAt !== undefined && { loadedAt: look.loadedAt }),
    source,
  }
}

/** A part of an item may be as wanted while others are not. */
function stateOf(
  holding: Holding,
  decision: ItemDecision,
  failures: ReadonlyMap<string, string> | undefined,
): Pick<NodeTrustItem, 'state' | 'message'> {
  const { problem, wanted, digest, name } = holding
  if (problem !== undefined) return { state: 'Failed', message: problem }
  const failure = failures?.get(name)
  if (failure !== undefined) return { state: 'Failed', message: failure }
  if (wanted !== undefined && wanted === digest && decision.state !== 'Rendered') {
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
      message: `all of ${lines.length} items are as the cluster wants them (${delivery} delivery)`,
    }
  }
  const isFailed = behind.some(({ state }) => state === 'Failed')
  const isRendered = behind.every(({ state }) => state === 'Rendered')
  const reason = isFailed
    ? nodeTrustReasons.failed
    : isRendered
      ? nodeTrustReasons.leftToMachineConfigs
      : nodeTrustReasons.lagging
  const told = behind.map(({ name, message }) => `${name}: ${message ?? 'is not as wanted'}`)
  return { type, status: 'False', reason, message: told.join('; ').slice(0, mostCharacters) }
}

/** All are written alike, so that the order of the texts is the order of the times. */
const earliestOf = (times: readonly string[]): string | undefined => [...times].sort()[0]
