import type { RotationTarget, TrustRotation } from '../../api/kinds/trust-rotation.ts'
import { trustItems } from '../../api/trust/items.ts'
import { readDuration } from '@machinist/core/duration'
import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/json'
import type { ObjectKey } from '@machinist/core/resource'
import { keyText } from '@machinist/core/resource'
import type { KeyKind } from '@machinist/pki/keys'
import { defaults } from './defaults.ts'
import type { Hostnames } from './hostnames.ts'
import { readHostnames } from './hostnames.ts'
import type { SettleTimes } from './settle-times.ts'
import { settleTimes } from './settle-times.ts'

/** The spec of a TrustRotation that can be acted on, with everything that it leaves out. */
export interface Rotation {
  readonly name: string
  readonly signer: ObjectKey & Life
  readonly bundle: ObjectKey
  readonly publishedIn: readonly (ObjectKey & { readonly with: readonly ObjectKey[] })[]
  readonly targets: readonly Target[]
  readonly trustedBy: TrustedBy | undefined
  readonly settle: SettleTimes
  readonly onlyWhenExpired: boolean
  readonly override: { readonly authority: string; readonly nodes: readonly string[] } | undefined
}

export type TrustedBy = typeof trustItems.kubeletClientCA | typeof trustItems.apiServerCA

export interface Life {
  readonly validityMs: number
  readonly refreshMs: number
  readonly key: KeyKind
}

export interface Target extends ObjectKey, Life {
  readonly usage: 'client' | 'server'
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly hostnames: Hostnames
}

/** Also of an object that no schema has looked at. Throws InvalidInput. */
export function readRotation({ metadata, spec }: Readonly<TrustRotation>): Rotation {
  if (!isObject(spec)) throw new InvalidInput('there is no spec')
  const { signer, bundle, publishedIn = [], targets = [], trustedBy, override, renew } = spec
  if (trustedBy !== undefined && !evidenceItems.has(trustedBy)) {
    throw new InvalidInput(`spec.trustedBy: "${textOr(trustedBy)}" is not known`)
  }
  const rotation: Rotation = {
    name: metadata.name,
    signer: { ...placeIn(signer, 'signer'), ...lifeIn(signer, 'signer', defaults.signer) },
    bundle: placeIn(bundle, 'bundle'),
    publishedIn: listIn(publishedIn, 'publishedIn').map((each, i) =>
      publicationIn(each, `publishedIn[${i}]`),
    ),
    targets: listIn(targets, 'targets').map((each, i) => targetIn(each, `targets[${i}]`)),
    trustedBy,
    settle: settleIn(spec),
    onlyWhenExpired: renew === 'WhenExpired',
    override: overrideIn(override),
  }
  refuseOverlaps(rotation)
  return rotation
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
  const place = placeIn(given, at)
  const inputs = listIn(given.with ?? [], `${at}.with`)
  return { ...place, with: inputs.map((input, i) => placeIn(input, `${at}.with[${i}]`)) }
}

function targetIn(target: RotationTarget, at: string): Target {
  const place = placeIn(target, at)
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
    ...place,
    ...lifeIn(target, at, defaults.target),
    usage,
    commonName,
    organizations: textsIn(organizations, `${at}.organizations`),
    // Nobody looks for a client by its name.
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

function placeIn(value: Partial<ObjectKey> | undefined, at: string): ObjectKey {
  const { namespace, name } = isObject(value) ? value : {}
  if (typeof namespace !== 'string' || typeof name !== 'string' || !namespace || !name) {
    throw new InvalidInput(`spec.${at} does not name an object: namespace and name are needed`)
  }
  return { namespace, name }
}

const keyKinds: Readonly<Record<string, KeyKind>> = {
  'RSA-2048': 'rsa-2048',
  'RSA-4096': 'rsa-4096',
  'ECDSA-P256': 'ecdsa-p256',
}

interface LifeText {
  readonly validity?: string
  readonly refresh?: string
  readonly key?: string
}

function lifeIn(given: LifeText, at: string, usual: { validity: string; refresh: string }): Life {
  const validityMs = durationIn(given.validity ?? usual.validity, `${at}.validity`)
  const named = given.refresh ?? (given.validity === undefined ? usual.refresh : undefined)
  // Who says only how long it is valid gets the usual four fifths of that.
  const refreshMs = named === undefined ? validityMs * 0.8 : durationIn(named, `${at}.refresh`)
  if (refreshMs >= validityMs) {
    throw new InvalidInput(`spec.${at}: refresh must be shorter than validity`)
  }
  const key = keyKinds[textOr(given.key ?? defaults.key)]
  if (!key) throw new InvalidInput(`spec.${at}.key: "${textOr(given.key)}" is not known`)
  return { validityMs, refreshMs, key }
}

function durationIn(text: unknown, at: string): number {
  const ms = typeof text === 'string' ? readDuration(text) : undefined
  if (ms !== undefined && ms > 0) return ms
  throw new InvalidInput(`spec.${at} is not a duration such as 8760h or 1h30m`)
}

function listIn<T>(value: readonly T[], at: string): readonly T[] {
  if (Array.isArray(value)) return value as readonly T[]
  throw new InvalidInput(`spec.${at} is not a list`)
}

function textsIn(value: readonly unknown[], at: string): readonly string[] {
  const texts = listIn(value, at)
  if (texts.every((each) => typeof each === 'string')) return texts
  throw new InvalidInput(`spec.${at} is not a list of texts`)
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '…')

/** What is written twice would never come to rest, and what is read from where it is written would only ever grow. */
function refuseOverlaps({ signer, bundle, publishedIn, targets }: Rotation): void {
  const refuse = (keys: readonly ObjectKey[], kind: string): void => {
    const seen = new Set<string>()
    for (const key of keys.map(keyText)) {
      if (seen.has(key)) throw new InvalidInput(`${kind} ${key} is named twice`)
      seen.add(key)
    }
  }
  refuse([signer, ...targets], 'Secret')
  refuse([bundle, ...publishedIn], 'ConfigMap')
  const written = new Set([bundle, ...publishedIn].map(keyText))
  const read = publishedIn.flatMap((each) => each.with.map(keyText))
  const loop = read.find((key) => written.has(key))
  if (loop !== undefined) throw new InvalidInput(`ConfigMap ${loop} is written and in a "with"`)
}
