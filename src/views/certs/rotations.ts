import { conditionOf, isCondition, rotationConditions } from '../../api/conditions.ts'
import type { RotationPhase } from '../../api/kinds/trust-rotation.ts'
import type { TrustRotation } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import { keyText } from '@machinist/core/resource'
import { readRotation } from '../../fleet/rotation/rotation-spec.ts'
import { moment, type Mood } from './life.ts'

/** How far the rotation of a signer is. */
export interface RotationLine {
  readonly name: string
  /** Undefined: nobody has looked at it yet. */
  readonly phase?: RotationPhase
  readonly since?: number
  /** The item by which nodes tell that they are ready for it; otherwise it goes by time. */
  readonly trustedBy?: string
  /** Some of those that are waited for, the longest first. */
  readonly laggards: readonly { readonly node: string; readonly why: string }[]
  /** How many are waited for. */
  readonly waitsFor: number
  /** What is in its way that a person has to remove. */
  readonly problem?: string
}

/** Pure: by the signer's Secret. */
export function rotationLines(rotations: readonly TrustRotation[]): Map<string, RotationLine> {
  // Of two with one signer the older one has it; the other one says so in its condition.
  const oldestLast = rotations.toSorted((a, b) => (ageKey(a) < ageKey(b) ? 1 : -1))
  return new Map(oldestLast.map((each) => [keyText(each.spec.signer), rotationLine(each)]))
}

/** Pure: by Secret, after how long its certificate is replaced, in milliseconds. */
export function refreshPeriods(rotations: readonly TrustRotation[]): Map<string, number> {
  return new Map(rotations.flatMap(periodsIn))
}

function periodsIn(rotation: TrustRotation): [secret: string, ms: number][] {
  try {
    const { signer, targets } = readRotation(rotation)
    return [signer, ...targets].map((each) => [keyText(each), each.refreshMs])
  } catch (error) {
    // Its condition says what is wrong with it.
    if (error instanceof InvalidInput) return []
    throw error
  }
}

const ageKey = ({ metadata }: TrustRotation): string =>
  `${metadata.creationTimestamp ?? ''} ${metadata.name}`

export function rotationLine({ metadata, spec, status = {} }: TrustRotation): RotationLine {
  const { phase, phaseSince, nodes, conditions } = status
  const since = Date.parse(phaseSince ?? '')
  const { total = 0, trusting = 0, excused = 0, laggards = [] } = nodes ?? {}
  const { degraded } = rotationConditions
  return {
    name: metadata.name,
    ...(phase && { phase }),
    ...(Number.isFinite(since) && { since }),
    ...(spec.trustedBy && { trustedBy: spec.trustedBy }),
    laggards: laggards.map(({ name, why }) => ({ node: name, why })),
    waitsFor: Math.max(total - trusting - excused, laggards.length),
    ...(isCondition(conditions, degraded) && {
      problem: conditionOf(conditions, degraded)?.message ?? '',
    }),
  }
}

const mostNamed = 3

/** In one line. */
export function rotationText(line: RotationLine, now: number): string {
  const { name, phase, since, laggards, waitsFor, problem } = line
  if (phase === undefined && problem === undefined) {
    return `rotation ${name}: no signer has looked at it yet`
  }
  const from = since === undefined || phase === 'Completed' ? '' : ` since ${moment(since, now)}`
  const named = laggards.slice(0, mostNamed).map(({ node, why }) => `${node} (${why})`)
  const more = waitsFor - named.length
  const others = named.length === 0 ? `${more} nodes` : `${more} more`
  const held = [...named, ...(more > 0 ? [others] : [])]
  const parts = [
    ...(phase === undefined ? [] : [`${phase}${from}`]),
    ...(held.length === 0 ? [] : [`held up by ${held.join(', ')}`]),
    ...(problem === undefined ? [] : [`cannot go on: ${problem}`]),
  ]
  return `rotation ${name}: ${parts.join(', ')}`
}

export function rotationMood({ phase, waitsFor, problem }: RotationLine): Mood {
  if (problem !== undefined) return 'urgent'
  return phase === undefined || waitsFor > 0 ? 'soon' : 'well'
}
