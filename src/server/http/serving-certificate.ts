import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { FileReader } from '@machinist/core/files'
import type { Logger } from '@machinist/core/log'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { KeyPair } from '@machinist/kube/connection/material'
import { checkKeyPair } from '@machinist/kube/connection/material'
import { ReloadedValue } from '@machinist/kube/connection/reloaded-value'
import { readBundle } from '@machinist/pki/bundle'

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

export interface CertificateOptions {
  readonly paths: CertificateFiles
  readonly files: FileReader
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
}

/** A kubelet updates the files of a mounted Secret about once a minute. */
const reloadMs = 10_000

/** The certificate of the server. It is read again and again; an invalid or incomplete pair leaves the last valid one in use. */
export class ServingCertificate {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #value: ReloadedValue<KeyPair>
  readonly #expiry: Gauge

  constructor({ paths, files, clock, log, metrics }: CertificateOptions) {
    this.#clock = clock
    this.#log = log
    this.#value = new ReloadedValue({
      name: 'the serving certificate',
      sources: [{ file: paths.cert }, { file: paths.key }],
      check: ([cert = '', key = '']) => checkKeyPair({ cert, key }),
      files,
      logger: log,
    })
    this.#expiry = metrics.gauge({
      name: 'machinist_server_certificate_expiry_timestamp_seconds',
      help: 'Time at which the serving certificate expires, in seconds since the epoch.',
    })
  }

  /** The current pair. Throws InvalidInput if there was no valid one yet. */
  async read(): Promise<KeyPair> {
    const pair = await this.#value.read()
    const [leaf] = readBundle(pair.cert).bundle.values()
    if (leaf) this.#expiry.set({}, Math.floor(leaf.notAfter / 1000))
    return pair
  }

  /** Calls `apply` with every pair that differs from `current`, until the signal aborts. */
  async follow(
    current: KeyPair,
    apply: (pair: KeyPair) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let applied = current
    while (!signal.aborted) {
      await sleep(this.#clock, reloadMs, signal)
      if (signal.aborted) return
      const pair = await this.read()
      if (pair.cert === applied.cert && pair.key === applied.key) continue
      applied = pair
      apply(pair)
      this.#log.info('serving a new certificate')
    }
  }
}
