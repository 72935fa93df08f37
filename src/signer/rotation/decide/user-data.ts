import { keyText } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Authority, CertificateFacts } from '../facts/facts.ts'
import { leafIn } from '../facts/facts.ts'
import { formerAuthorities } from './own-authorities.ts'

/** What the user data of pools shows about a CA. */
export interface UserDataStanding {
  /** Number of pools with user data. */
  readonly total: number
  /** Pools whose user data lacks the CA. */
  readonly lacking: readonly string[]
  /** Until when machines may start with user data that lacks the CA; absent if the targets do not depend on it. */
  readonly settlesAt?: number
  /** Pools whose user data still contains a CA that was removed. */
  readonly holdingOld: readonly string[]
}

/** Undefined if the rotation does not depend on user data, or if the operator has recorded nothing. */
export function userDataStanding(
  facts: CertificateFacts,
  authority: Authority,
): UserDataStanding | undefined {
  const { rotation, userData, now } = facts
  if (!rotation.userData || !userData) return undefined
  const pools = [...userData].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const former = formerAuthorities(facts)
  const since = pools.flatMap(([, authorities]) => authorities.get(authority.fingerprint) ?? [])
  // Without user data in the cluster, users copy the bundle to their machines.
  const settlesAt = Math.max(authority.notBefore, ...since) + rotation.userData.settleMs
  const names = (isSo: (authorities: ReadonlyMap<string, number>) => boolean): string[] =>
    pools.flatMap(([name, authorities]) => (isSo(authorities) ? [name] : []))
  return {
    total: pools.length,
    lacking: names((authorities) => !authorities.has(authority.fingerprint)),
    ...(isReplacing(facts, authority) && settlesAt > now && { settlesAt }),
    holdingOld: names((authorities) => [...authorities.keys()].some((each) => former.has(each))),
  }
}

/** A machine with older user data is affected only while a leaf certificate of another CA is in use. */
function isReplacing({ targets }: CertificateFacts, { fingerprint }: Authority): boolean {
  return targets.some((target) => {
    const leaf = leafIn(target)
    return leaf !== undefined && leaf.signedBy?.fingerprint !== fingerprint
  })
}

/** What the rotation waits for before the CA may sign; empty if nothing. */
export function userDataWaits(facts: CertificateFacts, authority: Authority): string[] {
  const { userData: place } = facts.rotation
  if (!place) return []
  const standing = userDataStanding(facts, authority)
  if (!standing) {
    return [
      `the operator has not recorded the CAs in the user data of pools yet in ConfigMap ${keyText(place)}`,
    ]
  }
  if (standing.lacking.length > 0) return [userDataLackText(standing)]
  return standing.settlesAt === undefined
    ? []
    : [
        `machines may start with user data that lacks the current CA until ${timestamp(standing.settlesAt)} (spec.userData.settle)`,
      ]
}

const maxNamed = 5

export function userDataLackText({
  lacking,
  total,
}: Pick<UserDataStanding, 'lacking' | 'total'>): string {
  const named = lacking.slice(0, maxNamed).join(', ')
  const more = lacking.length - maxNamed
  return `the user data of ${lacking.length} of ${poolCount(total)} lacks the current CA: ${named}${more > 0 ? ` and ${more} more` : ''}`
}

export const poolCount = (count: number): string => `${count} ${count === 1 ? 'pool' : 'pools'}`

/** The number of pools whose user data lacks a CA; 1 if it is not known. */
export function poolsLacking(facts: CertificateFacts, authority: Authority | undefined): number {
  if (!facts.rotation.userData) return 0
  return (authority && userDataStanding(facts, authority)?.lacking.length) ?? 1
}
