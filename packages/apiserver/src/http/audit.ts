import type { IncomingMessage } from 'node:http'
import type { Clock } from '@machinist/core/clock'
import type { UserInfo } from '../authentication/user-info.ts'
import type { RequestInfo } from './request-info.ts'
import { isResource } from './request-info.ts'

/** Told of every request once, when it is over: answered, or its client has gone. Must not throw. */
export type AuditSink = (request: AuditedRequest) => void

export interface AuditedRequest {
  readonly auditId: string
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly endedAt: number
  /** `get`, `list`, `watch`, `create`…; empty for a method that there is no verb for. */
  readonly verb: string
  /** Path and query as they were sent. */
  readonly uri: string
  readonly userAgent: string
  readonly sourceIP: string
  /** Absent: nobody knows who it was. */
  readonly user?: Pick<UserInfo, 'username' | 'groups'>
  /** Absent: it was not about a resource. */
  readonly object?: AuditedObject
  readonly code: number
}

export interface AuditedObject {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  /** Of one object, or the one that a list or a watch asks for; absent where the server finds one. */
  readonly name?: string
}

/** What is learnt of a request on its way. */
export interface AuditedWay {
  isAbout(info: RequestInfo): void
  isBy(user: UserInfo): void
  ended(code: number): void
}

/** A request has come that the sink shall hear of. */
export function beginAudit(
  sink: AuditSink,
  clock: Clock,
  request: IncomingMessage,
  auditId: string,
): AuditedWay {
  const { url: uri = '/', headers, socket } = request
  const came = {
    auditId,
    receivedAt: clock.now(),
    verb: '',
    uri,
    userAgent: headers['user-agent'] ?? '',
    // Asked now: a socket that is closed no longer knows.
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
