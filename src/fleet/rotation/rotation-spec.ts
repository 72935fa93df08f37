import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import type { ObjectKey } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { KeyKind } from '@machinist/pki/keys'
import type { RotationTarget, TrustRotation } from '../../api/kinds/trust-rotation.ts'
import { trustItems } from '../../api/trust/items.ts'
import { rotationDefaults } from './defaults.ts'
import type { Hostnames } from './hostnames.ts'
import { readHostnames } from './hostnames.ts'
import type { SettleTimes } from './settle-times.ts'
import { settleTimes } from './settle-times.ts'
import { durationIn, keyIn, listIn, textOr, textsIn } from './spec-fields.ts'

/** The valid spec of a TrustRotation, with defaults. */
export interface Rotation {
  readonly name: string
  readonly signer: ObjectKey & CertificateLifetime
  readonly bundle: ObjectKey
  readonly publishedIn: readonly (ObjectKey & { readonly with: readonly ObjectKey[] })[]
  readonly targets: readonly LeafTarget[]
  readonly trustedBy: TrustedBy | undefined
  /** The record of the CAs in the user data of pools, and how long machines may start with older user data. */
  readonly userData: (ObjectKey & { readonly settleMs: number }) | undefined
  readonly settle: SettleTimes
  readonly onlyWhenExpired: boolean
  readonly override: { readonly authority: string; readonly nodes: readonly string[] } | undefined
}

export type TrustedBy = typeof trustItems.kubeletClientCA | typeof trustItems.apiServerCA

export interface CertificateLifetime {
  readonly validityMs: number
  readonly refreshMs: number
  readonly key: KeyKind
}

export interface LeafTarget extends ObjectKey, CertificateLifetime {
  readonly usage: 'client' | 'server'
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly hostnames: Hostnames
}

/** Whether evidence decides when a CA signs and when it is removed, not time alone. */
export function hasEvidence({ trustedBy, userData }: Rotation): boolean {
  return trustedBy !== undefined || userData !== undefined
}

/** Also validates objects that were stored without a schema. Throws InvalidInput. */
export function readRotation({ metadata, spec }: Readonly<TrustRotation>): Rotation {
  if (!isObject(spec)) throw new InvalidInput('there is no spec')
  const {
    signer,
    bundle,
    publishedIn = [],
    targets = [],
    trustedBy,
    userData,
    override,
    renew,
  } = spec
  if (trustedBy !== undefined && !evidenceItems.has(trustedBy)) {
    throw new InvalidInput(`spec.trustedBy: "${textOr(trustedBy)}" is not known`)
  }
  const rotation: Rotation = {
    name: metadata.name,
    signer: {
      ...keyIn(signer, 'signer'),
      ...lifetimeIn(signer, 'signer', rotationDefaults.signer),
    },
    bundle: keyIn(bundle, 'bundle'),
    publishedIn: listIn(publishedIn, 'publishedIn').map((each, i) =>
      publicationIn(each, `publishedIn[${i}]`),
    ),
    targets: listIn(targets, 'targets').map((each, i) => targetIn(each, `targets[${i}]`)),
    trustedBy,
    userData: userDataIn(userData),
    settle: settleIn(spec),
    onlyWhenExpired: renew === 'WhenExpired',
    override: overrideIn(override),
  }
  rejectOverlaps(rotation)
  return rotation
}

function userDataIn(given: TrustRotation['spec']['userData']): Rotation['userData'] {
  if (given === undefined) return undefined
  const settle = given?.settle ?? rotationDefaults.userDataSettle
  return { ...keyIn(given, 'userData'), settleMs: durationIn(settle, 'userData.settle') }
}

function settleIn(spec: TrustRotation['spec']): SettleTimes {
  for (const field of ['settle', 'nodeSettle', 'leafSettle'] as const) {
    if (spec[field] !== undefined) durationIn(spec[field], field)
  }
  return settleTimes(spec)
}

const evidenceItems: ReadonlySet<string> = new Set([
  trustItems.kubeletClientCA,
  trustItems.apiServerCA,
])

type Publication = NonNullable<TrustRotation['spec']['publishedIn']>[number]

function publicationIn(given: Publication, at: string): Rotation['publishedIn'][number] {
  const key = keyIn(given, at)
  const inputs = listIn(given.with ?? [], `${at}.with`)
  return { ...key, with: inputs.map((input, i) => keyIn(input, `${at}.with[${i}]`)) }
}

function targetIn(target: RotationTarget, at: string): LeafTarget {
  const key = keyIn(target, at)
  const { usage, commonName, organizations = [], hostnames = [] } = target
  if (usage !== 'client' && usage !== 'server') {
    throw new InvalidInput(`spec.${at}.usage is neither client nor server`)
  }
  if (typeof commonName !== 'string' || commonName === '') {
    throw new InvalidInput(`spec.${at}.commonName is missing`)
  }
  const names = readHostnames(textsIn(hostnames, `${at}.hostnames`), `spec.${at}.hostnames`)
  if (usage === 'server' && names.all.length === 0) {
    throw new InvalidInput(`spec.${at}: a server needs hostnames`)
  }
  return {
    ...key,
    ...lifetimeIn(target, at, rotationDefaults.target),
    usage,
    commonName,
    organizations: textsIn(organizations, `${at}.organizations`),
    // Client certificates need no hostnames.
    hostnames: usage === 'server' ? names : readHostnames([], ''),
  }
}

function overrideIn(given: TrustRotation['spec']['override']): Rotation['override'] {
  if (given === undefined) return undefined
  if (!isObject(given) || typeof given.authority !== 'string') {
    throw new InvalidInput('spec.override does not name an authority')
  }
  return { authority: given.authority, nodes: textsIn(given.nodes, 'override.nodes') }
}

const keyKinds: Readonly<Record<string, KeyKind>> = {
  'RSA-2048': 'rsa-2048',
  'RSA-4096': 'rsa-4096',
  'ECDSA-P256': 'ecdsa-p256',
}

interface LifetimeText {
  readonly validity?: string
  readonly refresh?: string
  readonly key?: string
}

function lifetimeIn(
  given: LifetimeText,
  at: string,
  fallback: { validity: string; refresh: string },
): CertificateLifetime {
  const validityMs = durationIn(given.validity ?? fallback.validity, `${at}.validity`)
  const refresh = given.refresh ?? (given.validity === undefined ? fallback.refresh : undefined)
  // With only validity set, refresh is four fifths of it.
  const refreshMs = refresh === undefined ? validityMs * 0.8 : durationIn(refresh, `${at}.refresh`)
  if (refreshMs >= validityMs) {
    throw new InvalidInput(`spec.${at}: refresh must be shorter than validity`)
  }
  const key = keyKinds[textOr(given.key ?? rotationDefaults.key)]
  if (!key) throw new InvalidInput(`spec.${at}.key: "${textOr(given.key)}" is not known`)
  return { validityMs, refreshMs, key }
}

/** Two writers of one object would never settle, and a bundle that includes itself would grow forever. */
function rejectOverlaps({ signer, bundle, publishedIn, targets, userData }: Rotation): void {
  const rejectDuplicates = (keys: readonly ObjectKey[], kind: string): void => {
    const seen = new Set<string>()
    for (const key of keys.map(keyText)) {
      if (seen.has(key)) throw new InvalidInput(`${kind} ${key} is named twice`)
      seen.add(key)
    }
  }
  rejectDuplicates([signer, ...targets], 'Secret')
  rejectDuplicates([bundle, ...publishedIn], 'ConfigMap')
  const written = new Set([bundle, ...publishedIn].map(keyText))
  const read = publishedIn.flatMap((each) => each.with.map(keyText))
  const loop = read.find((key) => written.has(key))
  if (loop !== undefined) throw new InvalidInput(`ConfigMap ${loop} is written and in a "with"`)
  if (userData && written.has(keyText(userData))) {
    throw new InvalidInput(`ConfigMap ${keyText(userData)} is written and in userData`)
  }
}
