import type { Clock } from '@machinist/core/clock'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'

/**
 * How long the first write waits for that of the trust controller. Controllers render only after both have written. If the trust
 * controller cannot write, the facts are written anyway.
 */
export class TrustWait {
  readonly #clock: Clock
  readonly #limitMs: number
  #startedAt: number | undefined

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock
    this.#limitMs = limitMs
  }

  remainingMs(stored: Readonly<ControllerConfig> | undefined): number {
    const { trustDigests } = ownControllerConfigAnnotations
    if (stored?.metadata.annotations?.[trustDigests] !== undefined) return 0
    const now = this.#clock.elapsed()
    this.#startedAt ??= now
    return Math.max(0, this.#startedAt + this.#limitMs - now)
  }
}
