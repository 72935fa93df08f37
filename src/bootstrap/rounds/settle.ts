import type { Resource } from '@machinist/core/objects/resource'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import { changedObjects, objectVersions } from './object-versions.ts'
import type { RoundOptions } from './run-round.ts'
import { runRound } from './run-round.ts'

export interface SettleOptions extends RoundOptions {
  /** All served kinds of the cluster. */
  readonly kinds: readonly Resource[]
  /** Called after each round with the number of objects that it changed. */
  readonly progress: (round: number, changed: number) => void
}

/** How the controllers ended. */
export type Settlement =
  /** `failures`: what the controllers could not do. */
  | { readonly type: 'settled'; readonly failures: readonly string[] }
  /** The signal aborted. `changing`: what the last round changed. */
  | {
      readonly type: 'unsettled'
      readonly changing: readonly string[]
      readonly failures: readonly string[]
    }

/** From the second round on, keys that are requeued within this time count as work: some controllers wait on purpose. */
const soonMs = 1500

/** Rounds without a change after which failures are final. */
const lastRounds = 3

/**
 * Runs rounds until one changes nothing: then every controller has seen the final state, and had nothing to do. A round starts
 * with new caches, so that no change can be missed.
 */
export async function settle(options: SettleOptions, signal: AbortSignal): Promise<Settlement> {
  const { client, progress } = options
  const kinds = [...options.kinds, configMaps, secrets]
  let before = await objectVersions(client, kinds)
  let changed: readonly string[] = []
  let failures: readonly string[] = []
  let unchanged = 0
  for (let round = 1; !signal.aborted; round++) {
    failures = await runRound(options, round === 1 ? 0 : soonMs, signal)
    if (signal.aborted) break
    const after = await objectVersions(client, kinds)
    changed = changedObjects(before, after)
    before = after
    progress(round, changed.length)
    unchanged = changed.length === 0 ? unchanged + 1 : 0
    const isFinal = failures.length === 0 ? round > 1 : unchanged === lastRounds
    if (unchanged > 0 && isFinal) return { type: 'settled', failures }
  }
  return { type: 'unsettled', changing: changed, failures }
}
