import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { leases } from '@machinist/kube/kinds/coordination'
import type { SignerLeaseState } from '../../../views/rotate/signer-lease.ts'
import {
  signerLeaseKey,
  signerLeaseState,
  signerLeaseText,
} from '../../../views/rotate/signer-lease.ts'
import { durationText } from '../../../views/rotate/times.ts'

export interface SignerTimeouts {
  /** Without a reaction for this long, the Lease of the signer is read. */
  readonly checkAfterMs: number
  /** How long a running signer has to react. */
  readonly giveUpAfterMs: number
}

export const defaultSignerTimeouts: SignerTimeouts = { checkAfterMs: 10_000, giveUpAfterMs: 60_000 }

/** Why the signer does not react, once a timeout has passed; undefined if the signal aborts before: it has reacted. */
export async function awaitSigner(
  client: KubeClient,
  clock: Clock,
  { checkAfterMs, giveUpAfterMs }: SignerTimeouts,
  signal: AbortSignal,
): Promise<string | undefined> {
  await sleep(clock, checkAfterMs, signal)
  if (signal.aborted) return undefined
  const { isRunning, detail } = await readSignerLease(client, clock.now())
  if (!isRunning) return `no signer seems to run: ${detail}`
  await sleep(clock, giveUpAfterMs - checkAfterMs, signal)
  if (signal.aborted) return undefined
  return `a signer seems to run (${detail}), but has not reacted for ${durationText(giveUpAfterMs)}: check its log`
}

async function readSignerLease(client: KubeClient, now: number): Promise<SignerLeaseState> {
  try {
    return signerLeaseState(await ignoreNotFound(client.get(leases, signerLeaseKey)), now)
  } catch {
    return { isRunning: false, detail: `${signerLeaseText} cannot be read` }
  }
}
