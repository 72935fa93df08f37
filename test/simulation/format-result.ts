import type { TrustSimulationResult } from './trust/trust-simulation.ts'
import type { SimulationResult } from './config-simulation.ts'

/** The log, summary and violations of a simulation, and the command to replay it. */
export function formatResult(result: SimulationResult): string {
  const { seed, minutes, turns, most, digest } = result
  const summary = `seed ${seed}: ${minutes} simulated minutes, ${turns} nodes taken out of service, at most ${most} of a pool at once (${digest})`
  return formatLog(result, summary, `${seed}`)
}

export function formatTrustResult(result: TrustSimulationResult): string {
  const { seed, days, authorities, issued, digest } = result
  const summary = `seed trust-${seed}: ${days} simulated days, ${authorities} writes of signers, ${issued} of certificates (${digest})`
  return formatLog(result, summary, `trust-${seed}`)
}

function formatLog(
  { violations, log }: Pick<SimulationResult, 'violations' | 'log'>,
  summary: string,
  seed: string,
): string {
  const violated = violations.map((violation) => `VIOLATED: ${violation}`)
  const replay = violations.length > 0 ? [`Replay: make simulate SEED=${seed}`] : []
  return [...log, summary, ...violated, ...replay].join('\n')
}
