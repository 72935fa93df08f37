import type { IncomingMessage } from 'node:http'
import type { Clock } from '@machinist/core/clock'
import type { UserInfo } from '../../identity/user-info.ts'
import type { RequestInfo } from './request-info.ts'
import { isResource } from './request-info.ts'

/** Receives every request once, after its response or when its client disconnects. Must not throw. */
export type AuditSink = (request: AuditedRequest) => void

export interface AuditedRequest {
  readonly auditId: string
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly endedAt: number
  /** `get`, `list`, `watch`, `create`…; empty for a method without a verb. */
  readonly verb: string
  /** Path and query as sent. */
  readonly uri: string
  readonly userAgent: string
  readonly sourceIP: string
  /** Absent if authentication failed. */
  readonly user?: Pick<UserInfo, 'username' | 'groups'>
  /** Absent for non-resource requests. */
  readonly object?: AuditedObject
  readonly code: number
}

export interface AuditedObject {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  /** Absent for collections without a name selector and for generated names. */
  readonly name?: string
}

/** Collects facts about a request while it is handled. */
export interface RequestAudit {
  isAbout(info: RequestInfo): void
  isBy(user: UserInfo): void
  ended(code: number): void
}

/** Starts the audit of a request. */
export function startAudit(
  sink: AuditSink,
  clock: Clock,
  request: IncomingMessage,
  auditId: string,
): RequestAudit {
  const { url: uri = '/', headers, socket } = request
  const came = {
    auditId,
    receivedAt: clock.now(),
    verb: '',
    uri,
    userAgent: headers['user-agent'] ?? '',
    // Read now: a closed socket has no remote address.
    sourceIP: socket.remoteAddress ?? '',
  }
  let known: Pick<AuditedRequest, 'user' | 'object'> & { verb?: string } = {}
  return {
    isAbout(info) {
      known = { ...known, verb: info.verb, ...(isResource(info) && { object: objectOf(info) }) }
    },
    isBy({ username, groups }) {
      known = { ...known, user: { username, groups } }
    },
    ended(code) {
      sink({ ...came, ...known, endedAt: clock.now(), code })
    },
  }
}

function objectOf(info: Extract<RequestInfo, { resource: string }>): AuditedObject {
  const { group, version, resource, subresource, namespace, name = info.selectedName } = info
  return {
    group,
    version,
    resource,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  }
}
