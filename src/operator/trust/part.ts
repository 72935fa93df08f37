import type { DataSource } from '../../api/names.ts'
import type { ObjectReference } from '@machinist/core/resource'
import { keyOf, keyText, referenceTo } from '@machinist/core/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import type { InputProblem } from '../inputs/problem.ts'
import { checkBundle, isFault } from './check-bundle.ts'
import type { Seen, TrustFacts } from './facts.ts'
import { configMapIn, isToBeRemoved } from './facts.ts'
import { bytesOf } from '../../fleet/trust/read-ca.ts'
import { trustReasons } from './reasons.ts'

/** A bundle as one source has it. */
export type Part =
  | {
      readonly state: 'good'
      readonly bytes: Uint8Array
      readonly bundle: Bundle
    }
  | { readonly state: 'bad'; readonly problem: InputProblem }
  /** On purpose: somebody has said so on the object. */
  | { readonly state: 'absent'; readonly onPurpose: boolean }

export interface PartOptions {
  /** Whether the object may be without the key; then there is nothing. */
  readonly isKeyOptional?: boolean
}

/** The bundle under one key of a ConfigMap. */
export function partIn(facts: TrustFacts, source: DataSource, options: PartOptions = {}): Part {
  return partOf(configMapIn(facts, objectOf(source)), source.key, facts.now, options)
}

export function partOf(
  seen: Seen<ConfigMap>,
  key: string,
  now: number,
  { isKeyOptional = false }: PartOptions = {},
): Part {
  if (seen.state === 'unknown') return { state: 'bad', problem: seen.problem }
  if (seen.state === 'absent') return { state: 'absent', onPurpose: false }
  const { object } = seen
  if (isToBeRemoved(object)) return { state: 'absent', onPurpose: true }
  const bytes = bytesOf(object, key)
  if (!bytes) return isKeyOptional ? { state: 'absent', onPurpose: true } : noKey(object, key)
  const checked = checkBundle(bytes, now)
  if (!isFault(checked)) return { state: 'good', bytes, bundle: checked }
  const { reason, what } = checked
  return bad(reason, `${nameOf(object)}, key ${key}: ${what}`, referenceTo(configMaps, object))
}

/** What is needed and not there may come back, so what it gave stays. */
export function neededPart(part: Part, source: DataSource, isNeeded: boolean): Part {
  if (part.state !== 'absent' || part.onPurpose || !isNeeded) return part
  const message = `ConfigMap ${keyText(objectOf(source))} is not there: bring it back`
  return bad(trustReasons.missing, message)
}

export function objectOf({ namespace, name }: DataSource): { namespace: string; name: string } {
  return { namespace, name }
}

function noKey(object: Readonly<ConfigMap>, key: string): Part {
  const message = `${nameOf(object)} has no key ${key}: put the certificates there, or delete the ConfigMap`
  return bad(trustReasons.missingKey, message, referenceTo(configMaps, object))
}

const nameOf = (object: Readonly<ConfigMap>): string => `ConfigMap ${keyText(keyOf(object))}`

function bad(reason: string, message: string, about?: ObjectReference): Part {
  return { state: 'bad', problem: { reason, message, ...(about && { about }) } }
}
