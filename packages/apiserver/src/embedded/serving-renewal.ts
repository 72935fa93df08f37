import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { KeyPair } from '@machinist/pki/issue'
import type { PresentedIdentity } from './presented-identity.ts'

export interface ServingRenewal {
  readonly clock: Clock
  readonly log: Logger
  readonly presented: Pick<PresentedIdentity, 'serving' | 'show'>
  /** Loads the certificate to serve: the same, or a newer one if the old one expires or was replaced on disk. */
  readonly load: () => Promise<KeyPair>
}

const hour = 3_600_000

/** Renews the serving certificate while the server runs. Returns a function that stops it. */
export function renewServing({ clock, log, load, presented }: ServingRenewal): () => void {
  let stopped = false
  const renew = async (): Promise<void> => {
    try {
      const serving = await load()
      if (stopped || serving.certificate === presented.serving.certificate) return
      await presented.show(serving)
      log.info('renewed the serving certificate')
    } catch (error) {
      // The old certificate is valid for long enough to retry.
      log.error('failed to renew the serving certificate', error)
    }
  }
  const renewPeriodically = async (): Promise<void> => {
    await renew()
    if (!stopped) cancel = clock.after(hour, () => void renewPeriodically())
  }
  let cancel = clock.after(hour, () => void renewPeriodically())
  return () => {
    stopped = true
    cancel()
  }
}
