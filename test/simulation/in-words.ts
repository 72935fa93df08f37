import type { Result } from './world.ts'

/** What happened in a world, and how to see it again. */
export function inWords({ seed, violations, log, minutes, turns, most, digest }: Result): string {
  const summary = `seed ${seed}: ${minutes} simulated minutes, ${turns} nodes taken out of service, at most ${most} of a pool at once (${digest})`
  const broken = violations.map((violation) => `BROKEN: ${violation}`)
  const again = violations.length > 0 ? [`Again: make simulate SEED=${seed}`] : []
  return [...log, summary, ...broken, ...again].join('\n')
}
