import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import { answer } from '../answer/answer.ts'
import type { AnswerInputs } from '../answer/inputs.ts'
import { selectInputs } from '../answer/inputs.ts'
import type { Refusal } from '../answer/refusal.ts'
import { isRefusal } from '../answer/refusal.ts'
import type { ServerState } from '../answer/state.ts'
import { PreparedConfig } from './prepared-config.ts'

export type PreparedAnswer = PreparedConfig | Refusal

/** Far more than pools usually need: about 100 configs. */
const defaultMaxBytes = 256 * 1024 * 1024

/** The version that is prepared before the first request: that of the newest OS images. */
const firstVersion: IgnitionVersion = '3.5'

interface SelectedInputs {
  /** The parts of the state that the inputs come from, compared by identity. */
  readonly from: readonly unknown[]
  readonly inputs: AnswerInputs | Refusal
}

interface Entry {
  readonly pool: string
  readonly version: IgnitionVersion
  readonly inputs: AnswerInputs
  readonly prepared: PreparedAnswer
}

/**
 * Answers by pool and version. Each is prepared once for the same config, trust, image and credential, so that a request costs
 * little more than its bytes. `maxBytes` limits the memory: answers that were not requested for the longest time are dropped.
 */
export class PreparedAnswers {
  readonly #maxBytes: number
  readonly #selected = new Map<string, SelectedInputs>()
  /** The least recently requested answer is the first. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The answer in the first of these versions that can express the config. */
  find(
    state: ServerState,
    pool: string,
    versions: readonly IgnitionVersion[],
    token: string | undefined,
  ): PreparedAnswer {
    const inputs = this.#inputsOf(state, pool, token)
    if (isRefusal(inputs)) return inputs
    let first: PreparedAnswer | undefined
    for (const version of versions) {
      const found = this.#prepared(pool, inputs, version)
      if (found.type === 'config' || found.status !== 406) return found
      first ??= found
    }
    return first!
  }

  /**
   * Prepares every pool again, in the versions that clients requested before, and drops the answers of deleted pools. Yields after
   * each answer, so that requests can be served in between.
   */
  *refresh(state: ServerState, token: string | undefined): Generator<void> {
    const used = new Map<string, IgnitionVersion[]>()
    for (const [key, { pool, version }] of this.#entries) {
      if (state.pools.has(pool)) used.set(pool, [...(used.get(pool) ?? []), version])
      else this.#remove(key)
    }
    for (const pool of this.#selected.keys()) {
      if (!state.pools.has(pool)) this.#selected.delete(pool)
    }
    for (const pool of state.pools.keys()) {
      const inputs = this.#inputsOf(state, pool, token)
      if (isRefusal(inputs)) continue
      for (const version of used.get(pool) ?? [firstVersion]) {
        this.#prepared(pool, inputs, version)
        yield
      }
    }
  }

  #inputsOf(state: ServerState, pool: string, token: string | undefined): AnswerInputs | Refusal {
    const { pools, configs, images, trust, kubeconfig, daemonImage } = state
    const object = pools.get(pool)
    const from = [object, configs, images, trust, kubeconfig, daemonImage, token]
    const known = this.#selected.get(pool)
    if (known?.from.every((part, i) => part === from[i])) return known.inputs
    const selected = selectInputs(state, pool, token)
    const inputs = known && sameInputs(known.inputs, selected) ? known.inputs : selected
    // Names of pools that do not exist come from clients: they are not remembered.
    if (object) this.#selected.set(pool, { from, inputs })
    return inputs
  }

  #prepared(pool: string, inputs: AnswerInputs, version: IgnitionVersion): PreparedAnswer {
    const key = `${version} ${pool}`
    const known = this.#entries.get(key)
    const isCurrent = known?.inputs === inputs
    const entry = isCurrent ? known : { pool, version, inputs, prepared: prepare(inputs, version) }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (!isCurrent) {
      this.#bytes += sizeOf(entry) - (known ? sizeOf(known) : 0)
      this.#limit()
    }
    return entry.prepared
  }

  /** Keeps the newest answer, whatever its size. */
  #limit(): void {
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#entries.size === 1) return
      this.#remove(key)
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= sizeOf(entry)
  }
}

function prepare(inputs: AnswerInputs, version: IgnitionVersion): PreparedAnswer {
  const made = answer(inputs, version)
  return made.type === 'config' ? new PreparedConfig(made) : made
}

/** The compressed form is at most about as long as the plain one. */
function sizeOf({ prepared }: Entry): number {
  return prepared.type === 'config' ? 2 * prepared.plain.bytes.length : 0
}

function sameInputs(a: AnswerInputs | Refusal, b: AnswerInputs | Refusal): boolean {
  if (isRefusal(a) || isRefusal(b)) return false
  return (
    a.config === b.config &&
    a.image === b.image &&
    a.trust === b.trust &&
    a.kubeconfig === b.kubeconfig &&
    a.daemonImage === b.daemonImage
  )
}
