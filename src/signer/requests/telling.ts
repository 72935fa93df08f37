import { requestEvents } from '../../api/reasons.ts'
import type { Logger } from '@machinist/core/log'
import type { Counter, Gauge, Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/resource'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { certificateSigningRequests } from '@machinist/kube/kinds/certificates'
import { signers } from './claim.ts'
import type { Refusal, Rule } from './rules.ts'
import { explained } from './rules.ts'

interface Left {
  readonly uid: string | undefined
  readonly signer: string
  readonly rule: Rule
  isTold: boolean
}

interface RequestMetrics {
  readonly waiting: Gauge<'signer' | 'rule'>
  readonly approved: Counter<'signer'>
  readonly flooded: Gauge
}

/** What alert rules ask for. */
function requestMetrics(metrics: Metrics): RequestMetrics {
  return {
    waiting: metrics.gauge({
      name: 'machinist_certificate_requests_left',
      help: 'Requests of kubelets that are left to a person, by the rule they break.',
      labels: ['signer', 'rule'],
    }),
    approved: metrics.counter({
      name: 'machinist_certificate_requests_approved_total',
      help: 'Requests of kubelets that were approved.',
      labels: ['signer'],
    }),
    flooded: metrics.gauge({
      name: 'machinist_certificate_requests_flooded',
      help: 'Whether so many requests of kubelets wait that none is approved.',
    }),
  }
}

/** Shows which requests are left to a person and why: in numbers, and with one event for each. */
export class Telling {
  readonly #events: EventRecorder
  readonly #left = new Map<string, Left>()
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

  /** Many at once are told once, on the request that was looked at first. */
  flood(request: Readonly<CertificateSigningRequest>, refusal: Refusal, log: Logger): void {
    this.left(request, refusal, false, log)
    if (this.#isFlooded) return
    this.#isFlooded = true
    this.#metrics.flooded.set({}, 1)
    log.info('too many certificate requests wait', { why: refusal.why })
    this.#warn(request, requestEvents.tooManyRequests, refusal)
  }

  floodIsOver(): void {
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
    const { rule, why } = refusal
    let known = this.#left.get(name)
    if (known?.uid !== uid || known?.rule !== rule) {
      this.forget(name)
      const isTold = known?.uid === uid && known?.isTold === true
      known = { uid, signer: signerOf(request), rule, isTold }
      this.#left.set(name, known)
      this.#metrics.waiting.add({ signer: known.signer, rule }, 1)
    }
    if (known.isTold || !isDue) return
    known.isTold = true
    log.info('a certificate request is left to a person', { rule, why })
    this.#warn(request, requestEvents.requestNotApproved, refusal)
  }

  /** It was decided, or is gone. */
  forget(name: string): void {
    const left = this.#left.get(name)
    if (!left) return
    this.#left.delete(name)
    this.#metrics.waiting.add({ signer: left.signer, rule: left.rule }, -1)
  }

  #warn(request: Readonly<CertificateSigningRequest>, reason: string, refusal: Refusal): void {
    const about = referenceTo(certificateSigningRequests, request)
    this.#events.warning(about, reason, explained(refusal, request.metadata.name))
  }
}

const signerOf = ({ spec }: Readonly<CertificateSigningRequest>): string =>
  spec.signerName === signers.serving ? 'serving' : 'client'
