import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'

export type Verb = 'get' | 'list' | 'watch'

/** What goes wrong with a whole request. */
export type RequestFault =
  | {
      readonly kind: 'status'
      readonly code: number
      readonly reason?: string
      readonly retryAfterSeconds?: number
    }
  /** Accepted, then nothing: neither an answer nor a FIN. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'reset' }
  /** The answer starts and is cut off in the middle of its body. */
  | { readonly kind: 'half-body' }
  /** A 200 whose body no API server would send: a proxy's login page. */
  | { readonly kind: 'html' }
  /** A list whose one object has a byte in its name that no text has. */
  | { readonly kind: 'bad-utf8' }
  | { readonly kind: 'hold'; readonly until: Promise<void> }

/** What goes wrong with one line of a watch. `garbage` and `bad-utf8` swallow the event: a client that skips them loses it. */
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
  /** A line that goes on for this many bytes without an end. */
  | { readonly kind: 'endless-line'; readonly bytes: number }

/** Asked before every request and before every line of every watch. */
export interface FaultPlan {
  request(verb: Verb): RequestFault | undefined
  line(): StreamFault | undefined
}

/** Faults in the order a test wrote them down; nothing goes wrong once the script is played. */
export class ScriptedFaults implements FaultPlan {
  readonly #requests: { readonly verb: Verb; readonly fault: RequestFault | undefined }[] = []
  readonly #lines: (StreamFault | undefined)[] = []

  /** The next request of this verb (after those scripted before) meets `fault`. */
  onRequest(verb: Verb, fault: RequestFault, times = 1): this {
    for (let i = 0; i < times; i++) this.#requests.push({ verb, fault })
    return this
  }

  /** Requests of this verb that pass unharmed before the next scripted fault. */
  passRequests(verb: Verb, count: number): this {
    for (let i = 0; i < count; i++) this.#requests.push({ verb, fault: undefined })
    return this
  }

  /** The next watch line after `pass` whole ones meets `fault`. */
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

/** Everything goes wrong at random, and the same way again for the same seed and the same requests. */
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
