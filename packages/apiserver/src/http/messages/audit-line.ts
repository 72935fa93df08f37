import type { AuditedObject, AuditedRequest } from './audit.ts'

/** An audit event in kube-apiserver's log format, at level Metadata. */
export function auditLine(request: AuditedRequest): string {
  const { auditId, receivedAt, endedAt, verb, uri, userAgent, sourceIP, user, object, code } =
    request
  const event = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: auditId,
    stage: 'ResponseComplete',
    requestURI: uri,
    verb,
    user: user ?? {},
    sourceIPs: sourceIP === '' ? [] : [sourceIP],
    userAgent,
    ...(object && { objectRef: referenceOf(object) }),
    responseStatus: { metadata: {}, code },
    requestReceivedTimestamp: microseconds(receivedAt),
    stageTimestamp: microseconds(endedAt),
  }
  return `${JSON.stringify(event)}\n`
}

function referenceOf({ group, version, ...place }: AuditedObject): object {
  return { ...place, ...(group !== '' && { apiGroup: group }), apiVersion: version }
}

const microseconds = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')
