import { sha256Hex } from '@machinist/core/encoding/digest'
import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { referenceTo } from '@machinist/core/objects/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps as configMapKind } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import { sameBundle } from '@machinist/pki/bundle'
import {
  annotations,
  ownControllerConfigAnnotations as own,
  ownKubeconfigDataAnnotations,
} from '../../../api/annotations.ts'
import { configMaps } from '../../../api/names.ts'
import { fingerprintsDigest, readTrustDigests } from '../../../api/trust/digests.ts'
import { trustItems } from '../../../api/trust/items.ts'
import { apiServerSettleMs } from '../../../fleet/trust/settle.ts'
import type { InputProblem } from '../../inputs/problem.ts'
import { base64, bundleResult, isInstalled } from '../bundles/bundle-result.ts'
import type { TrustFacts, InputResult } from '../facts/facts.ts'
import { configMapIn } from '../facts/facts.ts'
import type { BundlePart } from '../bundles/bundle-part.ts'
import { requiredPart, objectOf, partIn } from '../bundles/bundle-part.ts'
import { readBytes } from '../bundles/read-bytes.ts'
import { bytesOf } from '../../../fleet/trust/read-ca.ts'
import type { ConfigMapWrite } from './config-map-write.ts'

/** How long `service-ca-rotate` of the ControllerConfig is "true" after a rotation. */
const pulseMs = 60_000
const { pending: pendingKey, rotatedAt: rotatedAtKey } = ownKubeconfigDataAnnotations
const target = configMaps.kubeconfigData

/** The decision about the CAs by which kubelets verify the API server. */
export interface ApiServerCA {
  readonly result: InputResult<string>
  /** For ConfigMap kubeconfig-data. */
  readonly write?: ConfigMapWrite
  /** The digest of the CAs in kubeconfig-data; undefined if nodes get none. */
  readonly digest?: string
  /** The same CAs, for their expiry. */
  readonly published?: Bundle
  /** Whether the set of CAs changed within the last minute. */
  readonly isRotating: boolean
  readonly requeueAfterMs?: number
}

/**
 * kubeconfig-data follows the API server's CAs when they have been unchanged for a minute, so that a rotation of several CAs in
 * sequence reaches nodes once. The pending state is in annotations of kubeconfig-data, so a restarted operator continues.
 */
export function apiServerCA(facts: TrustFacts): ApiServerCA {
  const { now } = facts
  const seen = configMapIn(facts, objectOf(target))
  const source = sourcePart(facts, seen.state === 'present')
  if (seen.state === 'unknown') return lastPublished(facts, seen.problem)
  const stored = seen.state === 'present' ? seen.object : undefined
  const published = stored && bundleIn(stored)
  const rotating = remainingPulse(stored, now)
  const current = {
    result: bundleResult(source),
    isRotating: rotating > 0,
    ...(published && { published }),
    ...(published &&
      !isRemovedOnPurpose(source) && { digest: fingerprintsDigest(published.keys()) }),
  }
  const { write, inMs } = source.state === 'valid' ? nextWrite(source, stored, facts) : {}
  const waits = [inMs, rotating].filter((ms): ms is number => ms !== undefined && ms > 0)
  return {
    ...current,
    ...(write && { write }),
    ...(waits.length > 0 && { requeueAfterMs: Math.min(...waits) }),
  }
}

/** The last published state, while kubeconfig-data is unreadable: a missing digest would remove the trust item from nodes. */
function lastPublished({ controllerConfig }: TrustFacts, problem: InputProblem): ApiServerCA {
  const current = controllerConfig?.metadata.annotations ?? {}
  const digest = readTrustDigests(current[own.trustDigests])?.[trustItems.apiServerCA]
  return {
    result: { state: 'invalid', problem },
    isRotating: current[annotations.serviceCARotate] === 'true',
    ...(digest !== undefined && { digest }),
  }
}

type ValidPart = BundlePart & { readonly state: 'valid' }

function sourcePart(facts: TrustFacts, hasKubeconfigData: boolean): BundlePart {
  const source = configMaps.apiServerCA
  return requiredPart(partIn(facts, source), source, hasKubeconfigData || isInstalled(facts))
}

function nextWrite(
  source: ValidPart,
  stored: Readonly<ConfigMap> | undefined,
  { now, settleMs = apiServerSettleMs }: TrustFacts,
): { write?: ConfigMapWrite; inMs?: number } {
  const before = stored && bundleIn(stored)
  // Nodes have no usable CAs, so there is no reason to wait.
  if (!stored || !before) return { write: publish(source, undefined, stored, now) }
  const pending = stored.metadata.annotations?.[pendingKey]
  const isSame = Buffer.compare(bytesOf(stored, target.key)!, source.bytes) === 0
  if (isSame) {
    return pending === undefined ? {} : { write: setPending(stored, null) }
  }
  const digest = sha256Hex(source.bytes)
  const since = pendingSince(pending, digest, now)
  if (since === undefined) {
    const newPending = JSON.stringify({ digest, since: new Date(now).toISOString() })
    return { write: setPending(stored, newPending), inMs: settleMs }
  }
  const left = since + settleMs - now
  if (left > 0) return { inMs: left }
  return { write: publish(source, before, stored, now) }
}

function publish(
  { bytes, bundle }: ValidPart,
  before: Bundle | undefined,
  stored: Readonly<ConfigMap> | undefined,
  now: number,
): ConfigMapWrite {
  const isRotation = !before || !sameBundle(before, bundle)
  const rotated: Record<string, string> = isRotation
    ? { [rotatedAtKey]: new Date(now).toISOString() }
    : {}
  const binaryData = { [target.key]: base64(bytes) }
  if (!stored) {
    return {
      create: { metadata: { ...objectOf(target), annotations: rotated }, binaryData },
    }
  }
  const hasText = Object.hasOwn(stored.data ?? {}, target.key)
  return {
    about: referenceTo(configMapKind, stored),
    patch: {
      metadata: { annotations: { [pendingKey]: null, ...rotated } },
      binaryData,
      // The server rejects the same key in data and binaryData.
      ...(hasText && { data: { [target.key]: null } }),
    },
  }
}

function setPending(stored: Readonly<ConfigMap>, pending: string | null): ConfigMapWrite {
  return {
    about: referenceTo(configMapKind, stored),
    patch: { metadata: { annotations: { [pendingKey]: pending } } },
  }
}

/** The certificates of kubeconfig-data; undefined if there are none. */
function bundleIn(stored: Readonly<ConfigMap>): Bundle | undefined {
  const bytes = bytesOf(stored, target.key)
  const bundle = bytes && readBytes(bytes).bundle
  return bundle && bundle.size > 0 ? bundle : undefined
}

/** Since when these bytes are pending. A time in the future is ignored: a clock was wrong. */
function pendingSince(text: string | undefined, digest: string, now: number): number | undefined {
  const pending = jsonOrUndefined(text ?? '')
  if (!isObject(pending) || pending['digest'] !== digest) return undefined
  const since = Date.parse(String(pending['since']))
  return since <= now ? since : undefined
}

function remainingPulse(stored: Readonly<ConfigMap> | undefined, now: number): number {
  const since = Date.parse(stored?.metadata.annotations?.[rotatedAtKey] ?? '')
  if (Number.isNaN(since) || since > now + pulseMs) return 0
  return Math.max(since + pulseMs - now, 0)
}

/** A user removed the CAs from nodes with an annotation. kubeconfig-data keeps them for joining machines. */
const isRemovedOnPurpose = (part: BundlePart): boolean => part.state === 'absent' && part.onPurpose
