import { keyText } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Authority, CertificateFacts } from '../facts/facts.ts'
import { currentIn, leafIn, previousIn } from '../facts/facts.ts'
import type { Rotation } from '../../../fleet/rotation/rotation-spec.ts'
import { hasEvidence } from '../../../fleet/rotation/rotation-spec.ts'
import type { Gate } from './gate.ts'
import { ownAuthorities } from './own-authorities.ts'

/** A former CA that is to be removed. */
export interface RetiringAuthority {
  readonly authority: Authority
  /** Why it is still needed, for users; empty if it can be removed. */
  readonly neededBy: readonly string[]
}

export interface Retirement {
  readonly retiring: readonly RetiringAuthority[]
  /** When another CA can be removed by time alone. */
  readonly at?: number
}

/** Former CAs of this signer. CAs of other owners in the bundle stay until they expire. */
export function retirement(facts: CertificateFacts, gate: Gate): Retirement {
  const { bundle, now } = facts
  const current = currentIn(facts)?.fingerprint
  if (current === undefined) return { retiring: [] }
  const previous = previousIn(facts)
  const former = [...(bundle?.authorities ?? []), ...(previous ? [previous] : [])]
  const own = ownAuthorities(facts)
  const old = new Map(
    former
      .filter((each) => each.fingerprint !== current && now <= each.notAfter)
      .filter(({ fingerprint }) => own.has(fingerprint))
      .map((each) => [each.fingerprint, each]),
  )
  if (old.size === 0) return { retiring: [] }
  const settled = settledAt(facts)
  const retiring = [...old.values()].map((authority) => ({
    authority,
    neededBy: neededBy(authority, facts, gate, settled),
  }))
  return { retiring, ...(settled > now && { at: settled }) }
}

function neededBy(
  authority: Authority,
  { rotation, targets, now }: CertificateFacts,
  gate: Gate,
  settled: number,
): string[] {
  const needs = targets.flatMap((target, i) =>
    leafIn(target)?.signedBy?.fingerprint === authority.fingerprint
      ? [`Secret ${keyText(rotation.targets[i]!)} has a certificate of it`]
      : [],
  )
  if (!hasEvidence(rotation) || rotation.onlyWhenExpired) {
    return [...needs, 'it stays until it expires: no node reports whether it is needed']
  }
  if (targets.length === 0) return ['it stays until it expires: no target shows what it signed']
  needs.push(...missing(rotation, targets))
  // A node or machine without the current CA may trust only this one.
  needs.push(...gate.waitsFor)
  if (settled > now) {
    needs.push(
      `a leaf certificate that was replaced may still be presented until ${timestamp(settled)}: clients such as kube-apiserver read their files only every 5 minutes (spec.leafSettle)`,
    )
  }
  return needs
}

/** Without a certificate, it is unknown when the previous one was last presented. */
function missing(rotation: Rotation, targets: CertificateFacts['targets']): string[] {
  return targets.flatMap((target, i) =>
    leafIn(target)
      ? []
      : [
          `Secret ${keyText(rotation.targets[i]!)} has no certificate yet, and its previous one may still be in use`,
        ],
  )
}

/** When no client presents a replaced leaf certificate any more. Nothing proves it earlier, so time decides. */
function settledAt({ rotation, targets }: CertificateFacts): number {
  const issued = targets.map((target) => (leafIn(target)?.notBefore ?? 0) + issuedAfterMs)
  return Math.max(0, ...issued) + rotation.settle.leafMs
}

/** Certificates are valid from slightly before they are issued. */
export const issuedAfterMs = 1000
