import type { TrustResult } from './trust/trust-world.ts'
import type { Result } from './world.ts'

/** What happened in a world, and how to see it again. */
export function inWords(result: Result): string {
  const { seed, minutes, turns, most, digest } = result
  const summary = `seed ${seed}: ${minutes} simulated minutes, ${turns} nodes taken out of service, at most ${most} of a pool at once (${digest})`
  return story(result, summary, `${seed}`)
}

export function trustInWords(result: TrustResult): string {
  const { seed, days, authorities, issued, digest } = result
  const summary = `seed trust-${seed}: ${days} simulated days, ${authorities} writes of signers, ${issued} of certificates (${digest})`
  return story(result, summary, `trust-${seed}`)
}

function story(
  { violations, log }: Pick<Result, 'violations' | 'log'>,
  summary: string,
  seed: string,
): string {
  const broken = violations.map((violation) => `BROKEN: ${violation}`)
  const again = violations.length > 0 ? [`Again: make simulate SEED=${seed}`] : []
  return [...log, summary, ...broken, ...again].join('\n')
}
