import type { OwnerReference } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { Secret } from '@machinist/kube/kinds/core'
import { provisioningTokenAnnotations as annotations } from '../../api/annotations.ts'
import { ownLabels } from '../../api/labels.ts'
import { provisioningToken } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { nextRotationAt, poolOwner } from '../../fleet/provisioning/token-rotation.ts'
import type { ProvisioningToken } from '../../fleet/provisioning/token-secret.ts'
import {
  managedTokenKey,
  managedTokenPool,
  readRanges,
  readTokenSecret,
} from '../../fleet/provisioning/token-secret.ts'
import type { TokenSettings } from '../../fleet/provisioning/token-settings.ts'
import { readTokenSettings } from '../../fleet/provisioning/token-settings.ts'
import type { ProvisioningTokenFacts } from './facts.ts'

/** What happens to the token of an existing Secret. */
export type TokenStep =
  | 'keep'
  /** A new token; the one before stays valid for the overlap. */
  | 'rotate'
  /** A new token; the one before is not accepted any more, if it ever was. */
  | 'replace'
  /** The overlap has ended. */
  | 'retire'
  /** The age is unknown: it counts from now. */
  | 'date'

/** Differences of the metadata, which a merge patch repairs; `null` removes a key. */
export interface TokenRepairs {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, null>>
  readonly ownerReferences?: readonly OwnerReference[]
}

export type TokenWrite =
  | { readonly action: 'none'; readonly dueAt?: number }
  | { readonly action: 'create' }
  | {
      readonly action: 'change'
      readonly step: TokenStep
      readonly repairs: TokenRepairs
      readonly resourceVersion: string
    }
  | { readonly action: 'remove'; readonly uid: string }
  /** Why the token cannot be maintained; a user must act. */
  | { readonly action: 'skip'; readonly why: string }

export interface ProvisioningTokenPlan {
  readonly settings: TokenSettings
  readonly write: TokenWrite
}

/** Pure: what to do with the token of one pool. */
export function decide(facts: ProvisioningTokenFacts): ProvisioningTokenPlan {
  const settings = readTokenSettings(facts.pool?.metadata.annotations)
  return { settings, write: writeFor(facts, settings) }
}

const none: TokenWrite = { action: 'none' }

function writeFor(facts: ProvisioningTokenFacts, settings: TokenSettings): TokenWrite {
  const { name, pool, isKnown, secret, now } = facts
  if (!isKnown)
    return {
      action: 'skip',
      why: 'cannot read Secrets of machinist-provisioning: grant the operator list and watch permissions',
    }
  if (secret?.metadata.deletionTimestamp !== undefined) return none
  if (!pool) {
    const isOurs = secret && managedTokenPool(secret) === name
    return isOurs ? { action: 'remove', uid: secret.metadata.uid ?? '' } : none
  }
  if (pool.metadata.deletionTimestamp !== undefined) return none
  if (!secret) return { action: 'create' }
  const why = unusable(name, secret)
  if (why !== undefined) return { action: 'skip', why }
  const { step, dueAt } = stepFor(name, secret, settings, now)
  const repairs = repairsOf(secret, pool)
  if (step === 'keep' && Object.keys(repairs).length === 0) return { action: 'none', dueAt }
  const { resourceVersion = '' } = secret.metadata
  return { action: 'change', step, repairs, resourceVersion }
}

/** Problems that a patch cannot repair. */
function unusable(pool: string, { type, metadata }: Readonly<Secret>): string | undefined {
  const place = `Secret ${keyText(managedTokenKey(pool))}`
  if (type !== provisioningToken.type)
    return `${place} has type ${type ?? 'Opaque'}, and the type of a Secret cannot be changed: delete it, and the operator creates it again`
  const cidrs = metadata.annotations?.[annotations.cidrs]
  if (cidrs !== undefined && !readRanges(cidrs))
    return `${place}: annotation ${annotations.cidrs} must be ranges such as 10.0.0.0/8,fd00::/8. Correct or remove it; the token is not accepted until then`
  return undefined
}

/** Limits of users' tokens. With one of them, the token in user data would become invalid: such a token is replaced. */
const foreignLimits = [
  annotations.expiresAt,
  annotations.uses,
  annotations.usedAt,
  annotations.usedBy,
]
/** Clocks of two leaders may differ by this much. */
const skewMs = 5 * 60_000

function stepFor(
  pool: string,
  secret: Readonly<Secret>,
  settings: TokenSettings,
  now: number,
): { readonly step: TokenStep; readonly dueAt: number } {
  const token = soundToken(pool, secret)
  if (!token) return { step: 'replace', dueAt: now }
  const { issuedAt, previous } = token
  if (issuedAt === undefined || issuedAt > now + skewMs) return { step: 'date', dueAt: now }
  const rotationAt = nextRotationAt(token, settings)
  if (now >= rotationAt) return { step: 'rotate', dueAt: now }
  if (!hasPrevious(secret)) return { step: 'keep', dueAt: rotationAt }
  const retiredAt = previous?.validUntil ?? now
  if (now >= retiredAt) return { step: 'retire', dueAt: now }
  return { step: 'keep', dueAt: Math.min(retiredAt, rotationAt) }
}

/** Undefined if the Secret does not have a token that the server accepts for this pool without a limit. */
function soundToken(pool: string, secret: Readonly<Secret>): ProvisioningToken | undefined {
  const reading = readTokenSecret(secret)
  if (reading.type === 'invalid' || reading.token.pool !== pool) return undefined
  const given = secret.metadata.annotations ?? {}
  return foreignLimits.some((key) => Object.hasOwn(given, key)) ? undefined : reading.token
}

const hasPrevious = ({ data = {}, metadata }: Readonly<Secret>): boolean =>
  Object.hasOwn(data, provisioningToken.keys.previous) ||
  Object.hasOwn(metadata.annotations ?? {}, annotations.previousValidUntil)

function repairsOf(
  { metadata }: Readonly<Secret>,
  pool: Readonly<MachineConfigPool>,
): TokenRepairs {
  const { labels = {}, annotations: given = {}, ownerReferences = [] } = metadata
  const { name } = pool.metadata
  const owner = poolOwner(pool)
  const isPool = ({ kind, name }: OwnerReference): boolean =>
    kind === owner.kind && name === owner.name
  const isOwned = ownerReferences.some((one) => isPool(one) && one.uid === owner.uid)
  const surplus = foreignLimits.filter((key) => Object.hasOwn(given, key))
  return {
    ...(labels[ownLabels.pool] !== name && { labels: { [ownLabels.pool]: name } }),
    ...(surplus.length > 0 && {
      annotations: Object.fromEntries(surplus.map((key) => [key, null])),
    }),
    // A namesake with another uid is a deleted pool.
    ...(!isOwned && { ownerReferences: [...ownerReferences.filter((one) => !isPool(one)), owner] }),
  }
}
