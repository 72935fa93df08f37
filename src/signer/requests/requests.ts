import type { Clock } from '@machinist/core/clock'
import { Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isConflict, isNotFound, isRefused, describeRefusal } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Change } from '@machinist/kube/informer/change'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { approve, isAllowed } from './act.ts'
import type { RequestCaches } from './caches.ts'
import type { RequestDecision } from './decide.ts'
import { decide, tooMany } from './decide.ts'
import { gather } from './gather.ts'
import { requeueAfterMs, reportAfterMs } from './limits.ts'
import type { RegisteredRequest } from './register.ts'
import { RequestRegister } from './register.ts'
import type { Refusal } from './refusals.ts'
import { RequestReporter } from './report.ts'

export interface RequestsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly caches: RequestCaches
}

/** Approves certificate requests of kubelets that pass every check. The key is the name of a request. */
export function requestsController(options: RequestsOptions): Controller {
  return new RequestsController(options)
}

class RequestsController implements Controller {
  readonly name = 'certificate-requests'
  readonly outputs = ['CertificateSigningRequest']
  readonly inputs: readonly Input[]
  readonly #options: RequestsOptions
  readonly #register = new RequestRegister()
  readonly #reporter: RequestReporter

  constructor(options: RequestsOptions) {
    const { caches, events, metrics } = options
    this.#options = options
    this.#reporter = new RequestReporter(events, metrics)
    this.inputs = [
      ...caches.requests.map((informer) =>
        input({
          resource: 'CertificateSigningRequest',
          informer,
          keys: (change) => this.#note(change),
        }),
      ),
      input({
        resource: 'Node',
        informer: caches.nodes,
        keys: ({ object }) => this.#register.waitingFor(object.metadata.name),
      }),
      input({ resource: 'Service', informer: caches.apiService, keys: () => [] }),
    ]
  }

  async reconcile(name: string, context: ReconcileContext): Promise<Outcome> {
    this.#updateFlood()
    const entry = this.#register.get(name)
    if (!entry?.isPending) {
      this.#reporter.forget(name)
      return settled
    }
    try {
      return await this.#handle(entry, context)
    } catch (error) {
      if (isConflict(error)) {
        throw new Waiting('Changed', `request ${name} changed meanwhile`, catchUpMs)
      }
      // The request was just deleted: the cache follows.
      if (isNotFound(error)) return settled
      if (!isRefused(error)) throw error
      const why = describeRefusal(`what the signer needs for request ${name}`, error)
      return this.#leave(entry, { check: 'NotLet', why, isFinal: false }, context)
    }
  }

  #note({ type, object }: Change<CertificateSigningRequest>): string[] {
    const { name } = object.metadata
    if (type === 'deleted') this.#register.remove(name)
    else this.#register.put(object)
    return [name]
  }

  #updateFlood(): void {
    const { caches, clock } = this.#options
    const waiting = this.#register.waiting(clock.now())
    if (!tooMany({ waiting, nodes: caches.nodes.size })) this.#reporter.endFlood()
  }

  async #handle(entry: RegisteredRequest, context: ReconcileContext): Promise<Outcome> {
    const { client } = this.#options
    const { signal, log } = context
    const { request } = entry
    const decision = await this.#decide(entry, signal)
    if (decision.action === 'leave') return this.#leave(entry, decision.refusal, context)
    await approve(request, decision.message, { client, signal })
    this.#reporter.approved(request)
    const { kind, node } = decision.claim
    log.info('approved a certificate request', { kind, node })
    return settled
  }

  async #decide(
    entry: RegisteredRequest,
    signal: AbortSignal,
  ): Promise<Exclude<RequestDecision, { readonly action: 'checkPermission' }>> {
    const { client, caches, clock } = this.#options
    let allowed: { isAllowed?: boolean } = {}
    for (;;) {
      // Gather again after the review: the caches may have changed meanwhile.
      const facts = gather(entry, this.#register, caches, clock.now())
      const decision = decide({ ...facts, ...allowed })
      if (decision.action !== 'checkPermission') return decision
      const { request } = entry
      allowed = { isAllowed: await isAllowed(request, decision.permission, { client, signal }) }
    }
  }

  #leave(entry: RegisteredRequest, refusal: Refusal, { log }: ReconcileContext): Outcome {
    const { request, createdAt } = entry
    const { isFinal, check } = refusal
    if (check === 'TooMany') {
      this.#reporter.flood(request, refusal, log)
      return requeueAfter(requeueAfterMs)
    }
    const age = this.#options.clock.now() - createdAt
    const isDue = isFinal || check === 'FromTheFuture' || age >= reportAfterMs
    this.#reporter.left(request, refusal, isDue, log)
    return isFinal ? settled : requeueAfter(isDue ? requeueAfterMs : reportAfterMs - age)
  }
}
