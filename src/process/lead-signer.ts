import { signerLease } from '../api/names.ts'
import type { SignerOptions } from '../signer/run-signer.ts'
import { runSigner } from '../signer/run-signer.ts'
import type { LeaderRun, Leadership } from './lead.ts'
import { runAsLeader } from './lead.ts'

/** Runs the signer while this process holds its Lease. */
export function leadSigner(
  options: Omit<SignerOptions, 'ready'>,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): LeaderRun {
  const { client, log, metrics } = options
  const run = (term: object, ended: AbortSignal): Promise<void> =>
    runSigner({ ...options, ...term }, ended)
  return runAsLeader(
    { client, log, metrics, lease: signerLease, name: 'the signer', run },
    leadership,
    signal,
  )
}
