import type { ObjectReference } from '@machinist/core/objects/resource'
import { keyOf, keyText, referenceTo } from '@machinist/core/objects/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import type { DataSource } from '../../../api/names.ts'
import type { InputProblem } from '../../inputs/problem.ts'
import type { ObservedObject, TrustFacts } from '../facts/facts.ts'
import { configMapIn, isToBeRemoved } from '../facts/facts.ts'
import { bytesOf } from '../../../fleet/trust/read-ca.ts'
import { trustReasons } from '../facts/reasons.ts'
import { checkBundle, isFault } from './check-bundle.ts'

/** The bundle of one source. */
export type BundlePart =
  | {
      readonly state: 'valid'
      readonly bytes: Uint8Array
      readonly bundle: Bundle
    }
  | { readonly state: 'invalid'; readonly problem: InputProblem }
  /** `onPurpose`: a user requested the removal on the object. */
  | { readonly state: 'absent'; readonly onPurpose: boolean }

export interface PartOptions {
  /** Whether the key is optional; without it, the part is absent. */
  readonly isKeyOptional?: boolean
}

/** The bundle under one key of a ConfigMap. */
export function partIn(
  facts: TrustFacts,
  source: DataSource,
  options: PartOptions = {},
): BundlePart {
  return partOf(configMapIn(facts, objectOf(source)), source.key, facts.now, options)
}

export function partOf(
  seen: ObservedObject<ConfigMap>,
  key: string,
  now: number,
  { isKeyOptional = false }: PartOptions = {},
): BundlePart {
  if (seen.state === 'unknown') return { state: 'invalid', problem: seen.problem }
  if (seen.state === 'absent') return { state: 'absent', onPurpose: false }
  const { object } = seen
  if (isToBeRemoved(object)) return { state: 'absent', onPurpose: true }
  const bytes = bytesOf(object, key)
  if (!bytes) return isKeyOptional ? { state: 'absent', onPurpose: true } : noKey(object, key)
  const checked = checkBundle(bytes, now)
  if (!isFault(checked)) return { state: 'valid', bytes, bundle: checked }
  const { reason, detail } = checked
  const message = `${nameOf(object)}, key ${key}: ${detail}`
  return invalidPart(reason, message, referenceTo(configMaps, object))
}

/** A required source that is missing is a problem, so that its last valid value stays. */
export function requiredPart(
  part: BundlePart,
  source: DataSource,
  isRequired: boolean,
): BundlePart {
  if (part.state !== 'absent' || part.onPurpose || !isRequired) return part
  const message = `ConfigMap ${keyText(objectOf(source))} is missing: create it again`
  return invalidPart(trustReasons.missing, message)
}

export function objectOf({ namespace, name }: DataSource): { namespace: string; name: string } {
  return { namespace, name }
}

function noKey(object: Readonly<ConfigMap>, key: string): BundlePart {
  const message = `${nameOf(object)} has no key ${key}: add it with the certificates, or delete the ConfigMap`
  return invalidPart(trustReasons.missingKey, message, referenceTo(configMaps, object))
}

const nameOf = (object: Readonly<ConfigMap>): string => `ConfigMap ${keyText(keyOf(object))}`

function invalidPart(reason: string, message: string, about?: ObjectReference): BundlePart {
  return { state: 'invalid', problem: { reason, message, ...(about && { about }) } }
}
