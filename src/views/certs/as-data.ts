import { timestamp } from '@machinist/core/timestamp'
import type { CertsFacts } from './facts.ts'
import { dayMs } from './validity.ts'
import type { RotationLine } from './rotations.ts'
import type { CertificateLine, SecretLine, TrustSection } from './report.ts'
import type { UpcomingEvent } from './upcoming.ts'

/** The certificates for programs. Times are in the format of Kubernetes, with the days left. */
export function certsData(
  { now, unread }: CertsFacts,
  sections: readonly TrustSection[],
  events: readonly UpcomingEvent[],
): object {
  const expiry = (notAfter: number): object => ({
    notAfter: timestamp(notAfter),
    daysLeft: Math.floor((notAfter - now) / dayMs),
  })
  const rotationData = ({ since, ...line }: RotationLine): object => ({
    ...line,
    ...(since !== undefined && { since: timestamp(since) }),
  })
  const secret = (line: SecretLine): object => {
    const { object, issuer, notBefore, notAfter, refresh, note, rotation } = line
    return {
      object,
      ...(issuer !== undefined && { issuer }),
      ...(notBefore !== undefined && { notBefore: timestamp(notBefore) }),
      ...(notAfter !== undefined && expiry(notAfter)),
      ...(refresh !== undefined && { refreshDue: timestamp(refresh) }),
      ...(note !== undefined && { note }),
      ...(rotation && { rotation: rotationData(rotation) }),
    }
  }
  const certificate = (line: CertificateLine): object => ({
    commonName: line.commonName,
    fingerprint: line.fingerprint,
    notBefore: timestamp(line.notBefore),
    ...expiry(line.notAfter),
    hasSuccessor: line.hasSuccessor,
  })
  return {
    time: timestamp(now),
    upcoming: events.map(({ severity, text }) => ({ severity, text })),
    trust: sections.map(({ name, about, signers, bundles, leafCertificates, nodes }) => ({
      name,
      about,
      signers: signers.map(secret),
      bundles: bundles.map(({ objects, broken, certificates }) => ({
        objects,
        unreadable: broken,
        certificates: certificates.map(certificate),
      })),
      leafs: leafCertificates.map(secret),
      nodes: nodes && {
        total: nodes.total,
        holding: nodes.holding,
        lagging: nodes.lagging.map(({ node, state, since, why }) => ({
          node,
          state,
          since: since === undefined ? undefined : timestamp(since),
          why,
        })),
      },
    })),
    notRead: unread,
  }
}
