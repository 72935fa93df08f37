import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'

export type Verb = 'get' | 'list' | 'watch'

/** A fault of a whole request. */
export type RequestFault =
  | {
      readonly kind: 'status'
      readonly code: number
      readonly reason?: string
      readonly retryAfterSeconds?: number
    }
  /** The connection stays open without a response. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'reset' }
  /** The connection is reset in the middle of the body. */
  | { readonly kind: 'half-body' }
  /** Status 200 with HTML, such as the login page of a proxy. */
  | { readonly kind: 'html' }
  /** A list with an object whose name is not valid UTF-8. */
  | { readonly kind: 'bad-utf8' }
  | { readonly kind: 'hold'; readonly until: Promise<void> }

/** A fault of one line of a watch. `garbage` and `bad-utf8` replace the event: a client that skips the line loses the event. */
export type StreamFault =
  | { readonly kind: 'expired' }
  | { readonly kind: 'error'; readonly code: number; readonly reason: string }
  | { readonly kind: 'silence' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'reset-in-line' }
  | { readonly kind: 'end' }
  | { readonly kind: 'end-in-line' }
  | { readonly kind: 'garbage'; readonly text: string }
  | { readonly kind: 'bad-utf8' }
  | { readonly kind: 'trickle' }
  | { readonly kind: 'twice' }
  /** A line of this many bytes without an end. */
  | { readonly kind: 'endless-line'; readonly bytes: number }

/** Decides the fault of each request and of each line of a watch. */
export interface FaultPlan {
  request(verb: Verb): RequestFault | undefined
  line(): StreamFault | undefined
}

/** Faults in the order of a script; no faults after its end. */
export class ScriptedFaults implements FaultPlan {
  readonly #requests: { readonly verb: Verb; readonly fault: RequestFault | undefined }[] = []
  readonly #lines: (StreamFault | undefined)[] = []

  /** Adds a fault for the next request of this verb. */
  onRequest(verb: Verb, fault: RequestFault, times = 1): this {
    for (let i = 0; i < times; i++) this.#requests.push({ verb, fault })
    return this
  }

  /** Adds requests of this verb without a fault. */
  passRequests(verb: Verb, count: number): this {
    for (let i = 0; i < count; i++) this.#requests.push({ verb, fault: undefined })
    return this
  }

  /** Adds a fault for a watch line, after `pass` lines without a fault. */
  onLine(fault: StreamFault, pass = 0): this {
    for (let i = 0; i < pass; i++) this.#lines.push(undefined)
    this.#lines.push(fault)
    return this
  }

  get played(): boolean {
    return this.#requests.length === 0 && this.#lines.length === 0
  }

  request(verb: Verb): RequestFault | undefined {
    const next = this.#requests.findIndex((entry) => entry.verb === verb)
    return next < 0 ? undefined : this.#requests.splice(next, 1)[0]!.fault
  }

  line(): StreamFault | undefined {
    return this.#lines.shift()
  }
}

/** Random faults that are reproducible for the same seed and requests. */
export class ChaoticFaults implements FaultPlan {
  readonly #random: Random
  readonly #rates: { readonly requests: number; readonly lines: number }
  readonly counts: Record<string, number> = {}
  enabled = true

  constructor(random: Random, rates: { readonly requests: number; readonly lines: number }) {
    this.#random = random
    this.#rates = rates
  }

  request(): RequestFault | undefined {
    return this.#draw(this.#rates.requests, requestFaults)
  }

  line(): StreamFault | undefined {
    return this.#draw(this.#rates.lines, lineFaults)
  }

  #draw<F extends { readonly kind: string }>(rate: number, faults: readonly F[]): F | undefined {
    if (!this.enabled || this.#random.next() >= rate) return undefined
    const fault = faults[between(this.#random, 0, faults.length - 1)]!
    this.counts[fault.kind] = (this.counts[fault.kind] ?? 0) + 1
    return fault
  }
}

const requestFaults: readonly RequestFault[] = [
  { kind: 'status', code: 500, reason: 'InternalError' },
  { kind: 'status', code: 503, reason: 'ServiceUnavailable' },
  { kind: 'status', code: 503, reason: 'ServiceUnavailable', retryAfterSeconds: 1 },
  { kind: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 },
  { kind: 'status', code: 410, reason: 'Expired' },
  { kind: 'silence' },
  { kind: 'reset' },
  { kind: 'half-body' },
  { kind: 'html' },
  { kind: 'bad-utf8' },
]

const lineFaults: readonly StreamFault[] = [
  { kind: 'expired' },
  { kind: 'error', code: 500, reason: 'InternalError' },
  { kind: 'silence' },
  { kind: 'reset' },
  { kind: 'reset-in-line' },
  { kind: 'end' },
  { kind: 'end-in-line' },
  { kind: 'garbage', text: 'not json' },
  { kind: 'garbage', text: 'null' },
  { kind: 'garbage', text: '{"type":"ADDED"}' },
  { kind: 'garbage', text: '{"type":"MODIFIED","object":{"metadata":{}}}' },
  { kind: 'garbage', text: '{"type":"BOOKMARK","object":{"metadata":{}}}' },
  { kind: 'bad-utf8' },
  { kind: 'trickle' },
  { kind: 'twice' },
]
