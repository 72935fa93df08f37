import type { AuditedRequest } from '@machinist/apiserver/http/audit'
import type { SeenNode } from './cluster-look.ts'
import type {
  Authority,
  IssuerOnly,
  NewConfig,
  NodeLine,
  NodeRotation,
  Requests,
  Rotation,
  RotationEnd,
} from '../../views/compare/facts.ts'
import type { LoggedLine } from '../../views/compare/node-log.ts'
import { isSync, linesOf } from '../../views/compare/node-log.ts'
import type { Span } from './request-tally.ts'
import { tallyRequests } from './request-tally.ts'

/** What had to be looked at while the cluster ran. */
export interface Seen {
  readonly authority: Authority | undefined
  readonly missed: string | undefined
  readonly issuerOnly: IssuerOnly
  readonly newConfigs: readonly NewConfig[]
  readonly nodes: readonly SeenNode[]
  /** From the trigger until nobody had more to say. */
  readonly span: Span
  readonly end: RotationEnd
}

/** What was written down all the time. */
export interface Records {
  readonly requests: readonly AuditedRequest[]
  readonly lines: readonly LoggedLine[]
}

/** Pure: everything about one rotation. */
export function conclude(seen: Seen, { requests, lines }: Records): Rotation {
  const { authority, missed, nodes, span, ...others } = seen
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
  node: SeenNode,
  requests: Requests,
  log: readonly NodeLine[],
): NodeRotation => ({ ...node, syncs: log.filter(isSync).length, requests, log })
