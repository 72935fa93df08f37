import { signerLease } from '../api/names.ts'
import type { SignerOptions } from '../signer/run-signer.ts'
import { runSigner } from '../signer/run-signer.ts'
import type { Lead, Leadership } from './lead.ts'
import { lead } from './lead.ts'

/** The signer, whenever its lease is held. */
export function leadSigner(
  options: Omit<SignerOptions, 'ready'>,
  leadership: Leadership | undefined,
  signal: AbortSignal,
): Lead {
  const { client, log, metrics } = options
  const run = (term: object, ended: AbortSignal): Promise<void> =>
    runSigner({ ...options, ...term }, ended)
  return lead(
    { client, log, metrics, lease: signerLease, who: 'the signer', run },
    leadership,
    signal,
  )
}
