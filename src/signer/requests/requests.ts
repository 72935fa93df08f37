import type { Clock } from '@machinist/core/clock'
import { Waiting } from '@machinist/core/errors'
import type { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isConflict, isNotFound, isRefused, refusalInWords } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Change } from '@machinist/kube/informer/change'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import { approve, isAllowed } from './act.ts'
import type { RequestCaches } from './caches.ts'
import type { Decision } from './decide.ts'
import { decide, tooMany } from './decide.ts'
import { gather } from './gather.ts'
import { lookAgainMs, patienceMs } from './limits.ts'
import type { Entry } from './register.ts'
import { Register } from './register.ts'
import type { Refusal } from './rules.ts'
import { Telling } from './telling.ts'

export interface RequestsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly caches: RequestCaches
}

/** Approves what kubelets ask for, where nobody could have any doubt. The key is the name of a request. */
export function requestsController(options: RequestsOptions): Controller {
  return new RequestsController(options)
}

class RequestsController implements Controller {
  readonly name = 'certificate-requests'
  readonly outputs = ['CertificateSigningRequest']
  readonly inputs: readonly Input[]
  readonly #options: RequestsOptions
  readonly #register = new Register()
  readonly #telling: Telling

  constructor(options: RequestsOptions) {
    const { caches, events, metrics } = options
    this.#options = options
    this.#telling = new Telling(events, metrics)
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
    this.#seeFlood()
    const entry = this.#register.get(name)
    if (!entry?.isPending) {
      this.#telling.forget(name)
      return settled
    }
    try {
      return await this.#handle(entry, context)
    } catch (error) {
      if (isConflict(error)) {
        throw new Waiting('Changed', `request ${name} was changed in between`, catchUpMs)
      }
      // It has just gone: the cache will tell.
      if (isNotFound(error)) return settled
      if (!isRefused(error)) throw error
      const why = refusalInWords(`what the signer needs for request ${name}`, error)
      return this.#leave(entry, { rule: 'NotLet', why, isFinal: false }, context)
    }
  }

  #note({ type, object }: Change<CertificateSigningRequest>): string[] {
    const { name } = object.metadata
    if (type === 'deleted') this.#register.remove(name)
    else this.#register.put(object)
    return [name]
  }

  #seeFlood(): void {
    const { caches, clock } = this.#options
    const waiting = this.#register.waiting(clock.now())
    if (!tooMany({ waiting, nodes: caches.nodes.size })) this.#telling.floodIsOver()
  }

  async #handle(entry: Entry, context: ReconcileContext): Promise<Outcome> {
    const { client } = this.#options
    const { signal, log } = context
    const { request } = entry
    const decision = await this.#decide(entry, signal)
    if (decision.is === 'left') return this.#leave(entry, decision.refusal, context)
    await approve(request, decision.message, { client, signal })
    this.#telling.approved(request)
    const { kind, node } = decision.claim
    log.info('approved a certificate request', { kind, node })
    return settled
  }

  async #decide(
    entry: Entry,
    signal: AbortSignal,
  ): Promise<Exclude<Decision, { readonly is: 'asked' }>> {
    const { client, caches, clock } = this.#options
    let allowed: { isAllowed?: boolean } = {}
    for (;;) {
      // Anew after every question: meanwhile much may have changed.
      const facts = gather(entry, this.#register, caches, clock.now())
      const decision = decide({ ...facts, ...allowed })
      if (decision.is !== 'asked') return decision
      const { request } = entry
      allowed = { isAllowed: await isAllowed(request, decision.permission, { client, signal }) }
    }
  }

  #leave(entry: Entry, refusal: Refusal, { log }: ReconcileContext): Outcome {
    const { request, createdAt } = entry
    const { isFinal, rule } = refusal
    if (rule === 'TooMany') {
      this.#telling.flood(request, refusal, log)
      return requeueAfter(lookAgainMs)
    }
    const age = this.#options.clock.now() - createdAt
    const isDue = isFinal || rule === 'FromTheFuture' || age >= patienceMs
    this.#telling.left(request, refusal, isDue, log)
    return isFinal ? settled : requeueAfter(isDue ? lookAgainMs : patienceMs - age)
  }
}
