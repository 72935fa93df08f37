import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { KeyPair } from '@machinist/pki/issue'
import type { ShownIdentity } from './shown-identity.ts'

export interface ServingRenewal {
  readonly clock: Clock
  readonly log: Logger
  readonly shown: Pick<ShownIdentity, 'serving' | 'show'>
  /** What is to be shown: the same, or a newer one because the old one runs out or was replaced on disk. */
  readonly load: () => Promise<KeyPair>
}

const hour = 3_600_000

/** Keeps a server's certificate fresh while it runs. The answer stops that. */
export function renewServing({ clock, log, load, shown }: ServingRenewal): () => void {
  let stopped = false
  const look = async (): Promise<void> => {
    try {
      const serving = await load()
      if (stopped || serving.certificate === shown.serving.certificate) return
      await shown.show(serving)
      log.info('the serving certificate was renewed')
    } catch (error) {
      // The old one is good for a long while yet; there is time to look again.
      log.error('the serving certificate could not be renewed', error)
    }
  }
  const lookAgain = async (): Promise<void> => {
    await look()
    if (!stopped) cancel = clock.after(hour, () => void lookAgain())
  }
  let cancel = clock.after(hour, () => void lookAgain())
  return () => {
    stopped = true
    cancel()
  }
}
