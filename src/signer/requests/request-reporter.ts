import type { Logger } from '@machinist/core/log'
import type { Counter, Gauge, Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { requestEvents } from '../../api/reasons.ts'
import { signers } from './claim.ts'
import type { Refusal, CheckName } from './refusals.ts'
import { explainRefusal } from './refusals.ts'

interface LeftRequest {
  readonly uid: string | undefined
  readonly signer: string
  readonly check: CheckName
  isReported: boolean
}

interface RequestMetrics {
  readonly waiting: Gauge<'signer' | 'rule'>
  readonly approved: Counter<'signer'>
  readonly flooded: Gauge
}

/** The metrics that alerts use. The label is named `rule` for compatibility. */
function requestMetrics(metrics: Metrics): RequestMetrics {
  return {
    waiting: metrics.gauge({
      name: 'machinist_certificate_requests_left',
      help: 'Number of certificate requests of kubelets that are left to an administrator, by the check that failed.',
      labels: ['signer', 'rule'],
    }),
    approved: metrics.counter({
      name: 'machinist_certificate_requests_approved_total',
      help: 'Number of approved certificate requests of kubelets.',
      labels: ['signer'],
    }),
    flooded: metrics.gauge({
      name: 'machinist_certificate_requests_flooded',
      help: 'Whether too many certificate requests of kubelets are pending, so that none is approved: 1 or 0.',
    }),
  }
}

/** Reports requests that are left to an administrator: in metrics, and with one event for each. */
export class RequestReporter {
  readonly #events: EventRecorder
  readonly #left = new Map<string, LeftRequest>()
  readonly #metrics: RequestMetrics
  #isFlooded = false

  constructor(events: EventRecorder, metrics: Metrics) {
    this.#events = events
    this.#metrics = requestMetrics(metrics)
    for (const signer of Object.keys(signers)) this.#metrics.approved.add({ signer }, 0)
    this.#metrics.flooded.set({}, 0)
  }

  approved(request: Readonly<CertificateSigningRequest>): void {
    this.forget(request.metadata.name)
    this.#metrics.approved.add({ signer: signerOf(request) })
  }

  /** A flood is reported once, on the first request. */
  flood(request: Readonly<CertificateSigningRequest>, refusal: Refusal, log: Logger): void {
    this.left(request, refusal, false, log)
    if (this.#isFlooded) return
    this.#isFlooded = true
    this.#metrics.flooded.set({}, 1)
    log.info('too many certificate requests are pending', { why: refusal.why })
    this.#warn(request, requestEvents.tooManyRequests, refusal)
  }

  endFlood(): void {
    if (!this.#isFlooded) return
    this.#isFlooded = false
    this.#metrics.flooded.set({}, 0)
  }

  left(
    request: Readonly<CertificateSigningRequest>,
    refusal: Refusal,
    isDue: boolean,
    log: Logger,
  ): void {
    const { name, uid } = request.metadata
    const { check, why } = refusal
    let known = this.#left.get(name)
    if (known?.uid !== uid || known?.check !== check) {
      this.forget(name)
      const isReported = known?.uid === uid && known?.isReported === true
      known = { uid, signer: signerOf(request), check, isReported }
      this.#left.set(name, known)
      this.#metrics.waiting.add({ signer: known.signer, rule: check }, 1)
    }
    if (known.isReported || !isDue) return
    known.isReported = true
    log.info('leaving a certificate request to an administrator', { check, why })
    this.#warn(request, requestEvents.requestNotApproved, refusal)
  }

  /** The request was decided or deleted. */
  forget(name: string): void {
    const left = this.#left.get(name)
    if (!left) return
    this.#left.delete(name)
    this.#metrics.waiting.add({ signer: left.signer, rule: left.check }, -1)
  }

  #warn(request: Readonly<CertificateSigningRequest>, reason: string, refusal: Refusal): void {
    const about = referenceTo(certificateSigningRequests, request)
    this.#events.warning(about, reason, explainRefusal(refusal, request.metadata.name))
  }
}

const signerOf = ({ spec }: Readonly<CertificateSigningRequest>): string =>
  spec.signerName === signers.serving ? 'serving' : 'client'
