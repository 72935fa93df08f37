import { timestamp } from '@machinist/core/timestamp'
import type { CertsFacts } from './facts.ts'
import { dayMs } from './life.ts'
import type { RotationLine } from './rotations.ts'
import type { CertificateLine, SecretLine, Section } from './report.ts'
import type { Upcoming } from './upcoming.ts'

/** The same for programs: times as Kubernetes writes them, and how many days are left. */
export function asData(
  { now, unread }: CertsFacts,
  sections: readonly Section[],
  news: readonly Upcoming[],
): object {
  const ends = (notAfter: number): object => ({
    notAfter: timestamp(notAfter),
    daysLeft: Math.floor((notAfter - now) / dayMs),
  })
  const rotating = ({ since, ...line }: RotationLine): object => ({
    ...line,
    ...(since !== undefined && { since: timestamp(since) }),
  })
  const secret = (line: SecretLine): object => {
    const { object, issuer, notBefore, notAfter, refresh, note, rotation } = line
    return {
      object,
      ...(issuer !== undefined && { issuer }),
      ...(notBefore !== undefined && { notBefore: timestamp(notBefore) }),
      ...(notAfter !== undefined && ends(notAfter)),
      ...(refresh !== undefined && { refreshDue: timestamp(refresh) }),
      ...(note !== undefined && { note }),
      ...(rotation && { rotation: rotating(rotation) }),
    }
  }
  const certificate = (line: CertificateLine): object => ({
    commonName: line.commonName,
    fingerprint: line.fingerprint,
    notBefore: timestamp(line.notBefore),
    ...ends(line.notAfter),
    hasSuccessor: line.isEarlier,
  })
  return {
    time: timestamp(now),
    upcoming: news.map(({ mood, text }) => ({ severity: mood, text })),
    trust: sections.map(({ name, about, signers, bundles, leafs, nodes }) => ({
      name,
      about,
      signers: signers.map(secret),
      bundles: bundles.map(({ objects, broken, certificates }) => ({
        objects,
        unreadable: broken,
        certificates: certificates.map(certificate),
      })),
      leafs: leafs.map(secret),
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
