import {
  annotations,
  ownControllerConfigAnnotations as own,
  ownKubeconfigDataAnnotations,
} from '../../api/annotations.ts'
import { configMaps } from '../../api/names.ts'
import { fingerprintsDigest, readTrustDigests } from '../../api/trust/digests.ts'
import { trustItems } from '../../api/trust/items.ts'
import { apiServerSettleMs } from '../../fleet/trust/settle.ts'
import { sha256Hex } from '@machinist/core/digest'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import { referenceTo } from '@machinist/core/resource'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { configMaps as configMapKind } from '@machinist/kube/kinds/core'
import type { Bundle } from '@machinist/pki/bundle'
import { sameBundle } from '@machinist/pki/bundle'
import type { InputProblem } from '../inputs/problem.ts'
import { base64, bundleVerdict, isInstalled } from './bundle-verdict.ts'
import type { ConfigMapWrite } from './config-map-write.ts'
import type { TrustFacts, Verdict } from './facts.ts'
import { configMapIn } from './facts.ts'
import type { Part } from './part.ts'
import { neededPart, objectOf, partIn } from './part.ts'
import { readBytes } from './read-bytes.ts'
import { bytesOf } from '../../fleet/trust/read-ca.ts'

/** So long ControllerConfig says that they have changed. */
const pulseMs = 60_000
const { pending: pendingKey, rotatedAt: rotatedAtKey } = ownKubeconfigDataAnnotations
const target = configMaps.kubeconfigData

/** What is to be done about the CAs by which kubelets know the API server. */
export interface ApiServerCA {
  readonly verdict: Verdict<string>
  /** For ConfigMap kubeconfig-data. */
  readonly write?: ConfigMapWrite
  /** Of the set that kubeconfig-data has now; undefined: nodes are to be given none. */
  readonly digest?: string
  /** The same, to tell when the first of them ends. */
  readonly handedOn?: Bundle
  /** Whether the set became another one within the last minute. */
  readonly isRotating: boolean
  readonly lookAgainMs?: number
}

/**
 * kubeconfig-data follows the API server's CAs as soon as they have been the same for a minute, so that a rotation of
 * several CAs in a row reaches nodes once. All that has to be remembered meanwhile is written on it: whoever starts in
 * between goes on where the last one stopped.
 */
export function apiServerCA(facts: TrustFacts): ApiServerCA {
  const { now } = facts
  const seen = configMapIn(facts, objectOf(target))
  const wanted = sourcePart(facts, seen.state === 'here')
  if (seen.state === 'unknown') return asTold(facts, seen.problem)
  const stored = seen.state === 'here' ? seen.object : undefined
  const handedOn = stored && setIn(stored)
  const rotating = pulseLeft(stored, now)
  const told = {
    verdict: bundleVerdict(wanted),
    isRotating: rotating > 0,
    ...(handedOn && { handedOn }),
    ...(handedOn && !isTakenAway(wanted) && { digest: fingerprintsDigest(handedOn.keys()) }),
  }
  const { write, inMs } = wanted.state === 'good' ? next(wanted, stored, facts) : {}
  const waits = [inMs, rotating].filter((ms): ms is number => ms !== undefined && ms > 0)
  return {
    ...told,
    ...(write && { write }),
    ...(waits.length > 0 && { lookAgainMs: Math.min(...waits) }),
  }
}

/** What nodes were told last, while nobody knows what kubeconfig-data has: a digest that went would take the item away. */
function asTold({ controllerConfig }: TrustFacts, problem: InputProblem): ApiServerCA {
  const said = controllerConfig?.metadata.annotations ?? {}
  const digest = readTrustDigests(said[own.trustDigests])?.[trustItems.apiServerCA]
  return {
    verdict: { state: 'bad', problem },
    isRotating: said[annotations.serviceCARotate] === 'true',
    ...(digest !== undefined && { digest }),
  }
}

type GoodPart = Part & { readonly state: 'good' }

function sourcePart(facts: TrustFacts, wasThere: boolean): Part {
  const source = configMaps.apiServerCA
  return neededPart(partIn(facts, source), source, wasThere || isInstalled(facts))
}

function next(
  wanted: GoodPart,
  stored: Readonly<ConfigMap> | undefined,
  { now, settleMs = apiServerSettleMs }: TrustFacts,
): { write?: ConfigMapWrite; inMs?: number } {
  const before = stored && setIn(stored)
  // Nothing there that a node could use: waiting would only prolong that.
  if (!stored || !before) return { write: handOver(wanted, undefined, stored, now) }
  const pending = stored.metadata.annotations?.[pendingKey]
  const isSame = Buffer.compare(bytesOf(stored, target.key)!, wanted.bytes) === 0
  if (isSame) {
    return pending === undefined ? {} : { write: annotated(stored, null) }
  }
  const digest = sha256Hex(wanted.bytes)
  const since = pendingSince(pending, digest, now)
  if (since === undefined) {
    const begun = JSON.stringify({ digest, since: new Date(now).toISOString() })
    return { write: annotated(stored, begun), inMs: settleMs }
  }
  const left = since + settleMs - now
  if (left > 0) return { inMs: left }
  return { write: handOver(wanted, before, stored, now) }
}

function handOver(
  { bytes, bundle }: GoodPart,
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
      // The same key twice is refused.
      ...(hasText && { data: { [target.key]: null } }),
    },
  }
}

function annotated(stored: Readonly<ConfigMap>, pending: string | null): ConfigMapWrite {
  return {
    about: referenceTo(configMapKind, stored),
    patch: { metadata: { annotations: { [pendingKey]: pending } } },
  }
}

/** The certificates in it; undefined if there are none. */
function setIn(stored: Readonly<ConfigMap>): Bundle | undefined {
  const bytes = bytesOf(stored, target.key)
  const bundle = bytes && readBytes(bytes).bundle
  return bundle && bundle.size > 0 ? bundle : undefined
}

/** Since when these very bytes wait. A time that is yet to come says nothing: somebody's clock was wrong. */
function pendingSince(text: string | undefined, digest: string, now: number): number | undefined {
  const said = jsonOrUndefined(text ?? '')
  if (!isObject(said) || said['digest'] !== digest) return undefined
  const since = Date.parse(String(said['since']))
  return since <= now ? since : undefined
}

function pulseLeft(stored: Readonly<ConfigMap> | undefined, now: number): number {
  const since = Date.parse(stored?.metadata.annotations?.[rotatedAtKey] ?? '')
  if (Number.isNaN(since) || since > now + pulseMs) return 0
  return Math.max(since + pulseMs - now, 0)
}

/** Somebody has said that nodes shall not be given them any more. What kubeconfig-data has stays for those who join. */
const isTakenAway = (part: Part): boolean => part.state === 'absent' && part.onPurpose
