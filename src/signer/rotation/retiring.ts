import { keyText } from '@machinist/core/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Authority, RotationFacts } from './facts.ts'
import { currentIn, leafIn, previousIn } from './facts.ts'
import type { Gate } from './gate.ts'
import { ownAuthorities } from './own-authorities.ts'
import type { Rotation } from '../../fleet/rotation/rotation-spec.ts'

/** A CA that is to go. */
export interface Retiring {
  readonly authority: Authority
  /** What it is still needed for; empty if it may go. */
  readonly neededBy: readonly string[]
}

export interface Retirement {
  readonly retiring: readonly Retiring[]
  /** When another one may go by time alone. */
  readonly at?: number
}

/** Former CAs of this signer. Those of others in the bundle are nobody's to remove before they end. */
export function retirement(facts: RotationFacts, gate: Gate): Retirement {
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
  { rotation, targets, now }: RotationFacts,
  gate: Gate,
  settled: number,
): string[] {
  const needs = targets.flatMap((target, i) =>
    leafIn(target)?.signedBy?.fingerprint === authority.fingerprint
      ? [`Secret ${keyText(rotation.targets[i]!)} has a certificate of it`]
      : [],
  )
  if (rotation.trustedBy === undefined || rotation.onlyWhenExpired) {
    return [...needs, `it stays until it ends: no node tells whether it is needed`]
  }
  if (targets.length === 0) return [`it stays until it ends: no target tells what it signed`]
  needs.push(...missing(rotation, targets))
  // Who lacks the current one may know no other than this.
  needs.push(...gate.waitsFor)
  if (settled > now) {
    needs.push(
      `a leaf certificate that was replaced may still be presented until ${timestamp(settled)}: clients such as kube-apiserver look at their files every 5 minutes only (spec.leafSettle)`,
    )
  }
  return needs
}

/** Where there is no certificate, nobody can tell when the one before it was last shown. */
function missing(rotation: Rotation, targets: RotationFacts['targets']): string[] {
  return targets.flatMap((target, i) =>
    leafIn(target)
      ? []
      : [
          `Secret ${keyText(rotation.targets[i]!)} has yet to get a certificate, and what was there may still be in use`,
        ],
  )
}

/** From when on no holder presents a leaf certificate that was replaced. Nothing proves it earlier, so time decides. */
function settledAt({ rotation, targets }: RotationFacts): number {
  const issued = targets.map((target) => (leafIn(target)?.notBefore ?? 0) + issuedAfterMs)
  return Math.max(0, ...issued) + rotation.settle.leafMs
}

/** Certificates count from a little before they are made. */
export const issuedAfterMs = 1000
