import { certificateTypes } from '../../api/labels.ts'
import { keyText } from '@machinist/core/resource'
import { isUndressed } from './dress.ts'
import type { Authority, BundleFacts, PublishedFacts, RotationFacts } from './facts.ts'

export interface PublishStep {
  /** In this order. */
  readonly authorities: readonly Authority[]
  readonly isDue: boolean
  /** Why it stays as it is although it should not. */
  readonly problem?: string
}

/** What a place where the bundle goes, too, is to hold: ours first, then others in their order. */
export function publishStep(
  { rotation, bundle, now }: RotationFacts,
  { found, inputs, awaited, key }: PublishedFacts,
): PublishStep {
  const nothing = { authorities: found?.authorities ?? [], isDue: false }
  const bad = inputs.find((input) => input.bundle.problem !== undefined)
  if (bad) {
    const problem = `ConfigMap ${keyText(bad.key)}, key ca-bundle.crt: ${bad.bundle.problem}: until it is repaired, ConfigMap ${keyText(key)} stays as it is`
    return { ...nothing, problem }
  }
  // Without what is in it, who is known by that would be unknown for a while.
  if (awaited) return nothing
  // It tells of itself where it cannot be read, and half of it would take trust away.
  if (!bundle || bundle.problem !== undefined || bundle.authorities.length === 0) return nothing
  const all = [bundle, ...inputs.map((input) => input.bundle)].flatMap((each) => each.authorities)
  const authorities = distinct(all.filter((each) => now <= each.notAfter))
  if (authorities.length === 0) return nothing
  return { authorities, isDue: !found || isBehind(found, authorities, rotation.onlyWhenExpired) }
}

function isBehind(
  found: BundleFacts,
  authorities: readonly Authority[],
  isLeftAlone: boolean,
): boolean {
  const isOther = fingerprints(found.authorities) !== fingerprints(authorities)
  if (isOther || found.problem !== undefined) return true
  return !isLeftAlone && (!found.isTidy || isUndressed(found.dress, certificateTypes.bundle))
}

const fingerprints = (authorities: readonly Authority[]): string =>
  authorities.map(({ fingerprint }) => fingerprint).join()

/** In their order, each once. */
function distinct(authorities: readonly Authority[]): Authority[] {
  return [...new Map(authorities.map((each) => [each.fingerprint, each])).values()]
}
