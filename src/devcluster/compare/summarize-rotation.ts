import type { AuditedRequest } from '@machinist/apiserver/http/messages/audit'
import type {
  ComparedAuthority,
  IssuerOnly,
  NewConfig,
  NodeLine,
  NodeRotation,
  Requests,
  ComparedRotation,
  RotationEnd,
} from '../../views/compare/facts.ts'
import type { LoggedLine } from '../../views/compare/node-log.ts'
import { isSync, linesOf } from '../../views/compare/node-log.ts'
import type { InspectedNode } from './cluster-inspection.ts'
import type { Span } from './request-tally.ts'
import { tallyRequests } from './request-tally.ts'

/** Values that are read while the cluster runs. */
export interface Observations {
  readonly authority: ComparedAuthority | undefined
  readonly missed: string | undefined
  readonly issuerOnly: IssuerOnly
  readonly newConfigs: readonly NewConfig[]
  readonly nodes: readonly InspectedNode[]
  /** From the trigger until no daemon sent requests any more. */
  readonly span: Span
  readonly end: RotationEnd
}

/** Requests and log lines that are recorded all the time. */
export interface RecordedLogs {
  readonly requests: readonly AuditedRequest[]
  readonly lines: readonly LoggedLine[]
}

/** Pure: the result of one rotation. */
export function summarizeRotation(
  observations: Observations,
  { requests, lines }: RecordedLogs,
): ComparedRotation {
  const { authority, missed, nodes, span, ...others } = observations
  const { byNode, controllerConfigWrites, evictions } = tallyRequests(requests, span)
  const during = lines.filter(({ at }) => at <= span.until)
  return {
    ...(authority && { authority }),
    ...(missed !== undefined && { missed }),
    ...others,
    controllerConfigWrites,
    evictions,
    nodes: nodes.map((node) => {
      const log = linesOf(during, node.name, span.from)
      return withRecords(node, byNode.get(node.name) ?? { reads: 0, writes: 0 }, log)
    }),
  }
}

const withRecords = (
  node: InspectedNode,
  requests: Requests,
  log: readonly NodeLine[],
): NodeRotation => ({ ...node, syncs: log.filter(isSync).length, requests, log })
