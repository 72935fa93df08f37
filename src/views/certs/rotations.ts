import { InvalidInput } from '@machinist/core/errors'
import { keyText } from '@machinist/core/objects/resource'
import { conditionOf, isCondition, rotationConditions } from '../../api/conditions.ts'
import type { RotationPhase, TrustRotationStatus } from '../../api/kinds/trust-rotation.ts'
import type { TrustRotation } from '../../api/kinds/resources.ts'
import { readRotation } from '../../fleet/rotation/rotation-spec.ts'
import { moment, type Severity } from './validity.ts'

/** The progress of the rotation of a signer. */
export interface RotationLine {
  readonly name: string
  /** Undefined until the signer processes it. */
  readonly phase?: RotationPhase
  readonly since?: number
  /** The item by which nodes report that they trust the CA; undefined if time alone decides. */
  readonly trustedBy?: string
  /** Whether the user data of pools must contain the CA first. */
  readonly usesUserData?: boolean
  /** Some of the nodes and pools that it waits for, longest first. */
  readonly laggards: readonly { readonly node: string; readonly why: string }[]
  /** Number of nodes and pools that it waits for. */
  readonly waitsFor: number
  /** The problem that a user must fix. */
  readonly problem?: string
}

/** Pure: rotations by the Secret of the signer. */
export function rotationLines(rotations: readonly TrustRotation[]): Map<string, RotationLine> {
  // The oldest rotation of a signer owns it; a condition on the others reports the conflict.
  const oldestLast = rotations.toSorted((a, b) => (ageKey(a) < ageKey(b) ? 1 : -1))
  return new Map(oldestLast.map((each) => [keyText(each.spec.signer), rotationLine(each)]))
}

/** Pure: the refresh periods by Secret, in milliseconds. */
export function refreshPeriods(rotations: readonly TrustRotation[]): Map<string, number> {
  return new Map(rotations.flatMap(periodsIn))
}

function periodsIn(rotation: TrustRotation): [secret: string, ms: number][] {
  try {
    const { signer, targets } = readRotation(rotation)
    return [signer, ...targets].map((each) => [keyText(each), each.refreshMs])
  } catch (error) {
    // The condition of the rotation reports the problem.
    if (error instanceof InvalidInput) return []
    throw error
  }
}

const ageKey = ({ metadata }: TrustRotation): string =>
  `${metadata.creationTimestamp ?? ''} ${metadata.name}`

export function rotationLine({ metadata, spec, status = {} }: TrustRotation): RotationLine {
  const { phase, phaseSince, conditions } = status
  const since = Date.parse(phaseSince ?? '')
  const { degraded } = rotationConditions
  return {
    name: metadata.name,
    ...(phase && { phase }),
    ...(Number.isFinite(since) && { since }),
    ...(spec.trustedBy && { trustedBy: spec.trustedBy }),
    ...(spec.userData && { usesUserData: true }),
    ...delaysIn(status),
    ...(isCondition(conditions, degraded) && {
      problem: conditionOf(conditions, degraded)?.message ?? '',
    }),
  }
}

function delaysIn({
  nodes = {},
  userData = {},
}: TrustRotationStatus): Pick<RotationLine, 'laggards' | 'waitsFor'> {
  const { total = 0, trusting = 0, excused = 0, laggards = [] } = nodes
  const pools = (userData.laggards ?? []).map((pool) => ({
    node: `pool ${pool}`,
    why: lackingPool,
  }))
  return {
    laggards: [...laggards.map(({ name, why }) => ({ node: name, why })), ...pools],
    waitsFor: Math.max(total - trusting - excused, laggards.length) + pools.length,
  }
}

const lackingPool = 'its user data lacks the current CA'
const maxNamed = 3

/** The rotation in one line. */
export function rotationText(line: RotationLine, now: number): string {
  const { name, phase, since, laggards, waitsFor, problem } = line
  if (phase === undefined && problem === undefined) {
    return `rotation ${name}: no signer has processed it yet`
  }
  const from = since === undefined || phase === 'Completed' ? '' : ` since ${moment(since, now)}`
  const named = laggards.slice(0, maxNamed).map(({ node, why }) => `${node} (${why})`)
  const more = waitsFor - named.length
  const others = named.length === 0 ? `${more} nodes` : `${more} more`
  const delaying = [...named, ...(more > 0 ? [others] : [])]
  const parts = [
    ...(phase === undefined ? [] : [`${phase}${from}`]),
    ...(delaying.length === 0 ? [] : [`delayed by ${delaying.join(', ')}`]),
    ...(problem === undefined ? [] : [`blocked: ${problem}`]),
  ]
  return `rotation ${name}: ${parts.join(', ')}`
}

export function rotationSeverity({ phase, waitsFor, problem }: RotationLine): Severity {
  if (problem !== undefined) return 'urgent'
  return phase === undefined || waitsFor > 0 ? 'soon' : 'well'
}
