import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import { isOlder } from '@machinist/kube/informer/version-order'
import type { NodeFacts } from './node-facts.ts'
import { isDone, isReady } from './node-facts.ts'

/*
 * A turn is written to the pool BEFORE desiredConfig is set on its node, guarded by the resourceVersion of the pool. The
 * write to the node is guarded by the resourceVersion in the turn. So every leader knows all nodes whose desiredConfig may
 * have been set, however stale its cache of nodes is:
 *
 *   pool: turn(node, from=17) ──► node: desiredConfig if version is 17 ──► node is done ──► turn is over
 *          rejected if the pool         rejected if the node
 *          is not the newest            is no longer at 17
 *
 * A cached node that is not newer than `from` does not show whether desiredConfig was set: the turn counts. A newer cached
 * node that serves without the config of the turn proves that the guarded write can no longer succeed: the turn is void.
 *
 * If the pool's target changes back before desiredConfig is set, no write follows that would change the node, and a request
 * of an earlier leader for that turn may still be in flight. The node gets an annotation (`withdrawn-turn`), guarded by `from`:
 * the API server then rejects that request, and the newer version of the node makes the turn void.
 */
export interface Turn {
  readonly config: string
  readonly image?: string
  /** The resourceVersion of the node at which desiredConfig may be set. */
  readonly from: string
  /** When the turn was given, in milliseconds since the epoch. */
  readonly at: number
}

export interface RolloutRecord {
  readonly turns: ReadonlyMap<string, Turn>
  /** The durations of the last turns in seconds, oldest first. */
  readonly took: readonly number[]
  /** When the last turn ended. */
  readonly endedAt?: number
}

export const emptyRecord: RolloutRecord = { turns: new Map(), took: [] }

/** An annotation holds 256 kB at most, and a turn may need 150 bytes. */
export const mostTurns = 1000
const remembered = 20

/** Invalid content counts as absent. Every valid turn counts, even among invalid ones. */
export function parseRecord(text: string | undefined): RolloutRecord {
  if (text === undefined) return emptyRecord
  const value = jsonOrUndefined(text)
  if (!isObject(value)) return emptyRecord
  const { turns, took, endedAt } = value
  const read = Object.entries(isObject(turns) ? turns : {}).flatMap(([name, turn]) =>
    isTurn(turn) ? [[name, turn] as const] : [],
  )
  return {
    turns: new Map(read),
    took: Array.isArray(took) ? took.filter(isNumber).slice(-remembered) : [],
    ...(isNumber(endedAt) && { endedAt }),
  }
}

export function formatRecord({ turns, took, endedAt }: RolloutRecord): string {
  return JSON.stringify({ turns: Object.fromEntries(turns), took, endedAt })
}

export type TurnState =
  /** The cache does not show yet whether desiredConfig was set; with `retry`, it is safe to set it again. */
  | { readonly type: 'given'; readonly retry: boolean }
  /** The node is out of service: being updated, failed, or for another reason. */
  | { readonly type: 'taken' }
  /** The node is back in service. */
  | { readonly type: 'over' }
  /** desiredConfig was not set and cannot be set any more. */
  | { readonly type: 'void' }

/** The state of a turn by a cached node, however stale. */
export function turnState(turn: Turn, node: NodeFacts): TurnState {
  if (node.version === turn.from) return { type: 'given', retry: true }
  if (isOlder(node.version, turn.from)) return { type: 'given', retry: false }
  if (!isDone(node) || !isReady(node)) return { type: 'taken' }
  return {
    type: node.desired === turn.config && node.desiredImage === turn.image ? 'over' : 'void',
  }
}

/** The record after these turns have ended. */
export function withEnded(
  { took, endedAt }: RolloutRecord,
  turns: ReadonlyMap<string, Turn>,
  ended: readonly Turn[],
  now: number,
): RolloutRecord {
  const seconds = ended.map(({ at }) => Math.max(0, Math.round((now - at) / 1000)))
  const last = ended.length > 0 ? now : endedAt
  return {
    turns,
    took: [...took, ...seconds].slice(-remembered),
    ...(last !== undefined && { endedAt: last }),
  }
}

function isTurn(value: unknown): value is Turn {
  if (!isObject(value)) return false
  const { config, image, from, at } = value
  return (
    typeof config === 'string' &&
    typeof from === 'string' &&
    isNumber(at) &&
    (image === undefined || typeof image === 'string')
  )
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value)
