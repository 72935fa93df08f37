import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client'
import { lookForSigner } from './signer-lease.ts'
import { lasting } from '../../views/rotate/times.ts'

export interface Patience {
  /** After this long without a reaction somebody looks whether a signer runs. */
  readonly firstMs: number
  /** If one does, it gets this long in all. */
  readonly lastMs: number
}

export const usualPatience: Patience = { firstMs: 10_000, lastMs: 60_000 }

/** Why nobody reacts, once that has taken too long; undefined if the signal aborts before: somebody did. */
export async function unanswered(
  client: KubeClient,
  clock: Clock,
  { firstMs, lastMs }: Patience,
  signal: AbortSignal,
): Promise<string | undefined> {
  await sleep(clock, firstMs, signal)
  if (signal.aborted) return undefined
  const { runs, says } = await lookForSigner(client, clock.now())
  if (!runs) return `no signer seems to run: ${says}`
  await sleep(clock, lastMs - firstMs, signal)
  if (signal.aborted) return undefined
  return `a signer seems to run (${says}), but has not reacted for ${lasting(lastMs)}: its log says more`
}
