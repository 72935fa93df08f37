import { isObject, jsonOrUndefined } from '@machinist/core/json'
import { isOlder } from '@machinist/kube/informer/version-order'
import type { NodeFacts } from './node-facts.ts'
import { isDone, isReady } from './node-facts.ts'

/*
 * Whose turn it is, written on the pool BEFORE a node is told, guarded by the pool's resourceVersion; the node is told
 * guarded by the resourceVersion in its turn. So whoever decides, on however old a picture of the nodes, knows of every
 * node that somebody may have told:
 *
 *   pool: turn(node, from=17) ──► node: desiredConfig if version is 17 ──► node is done ──► turn is over
 *          refused if the pool          refused if the node
 *          is not the newest            is not at 17 any more
 *
 * A picture of the node that is not newer than `from` cannot say whether it was told: the turn counts. A newer one of a
 * node in service that does not show what the turn wanted proves that it never will: the turn is void.
 *
 * If the pool's target changes back before the node is told, no write follows that would change the node, and a request of
 * an earlier leader for that turn may still be under way. The node gets an annotation (`withdrawn-turn`), guarded by `from`:
 * the API server then rejects that request, and the newer version of the node makes the turn void.
 */
export interface Turn {
  readonly config: string
  readonly image?: string
  /** The resourceVersion at which the node may be told. */
  readonly from: string
  /** When the turn was given, in milliseconds since the epoch. */
  readonly at: number
}

export interface RolloutRecord {
  readonly turns: ReadonlyMap<string, Turn>
  /** How long the last turns took, in seconds, oldest first. */
  readonly took: readonly number[]
  /** When the last of them ended. */
  readonly endedAt?: number
}

export const emptyRecord: RolloutRecord = { turns: new Map(), took: [] }

/** An annotation holds 256 kB at most, and a turn may need 150 bytes. */
export const mostTurns = 1000
const remembered = 20

/** What cannot be read was not written by us: as if nothing were there. Turns that can be read always count. */
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
  /** Whether the node was told cannot be seen yet; if `retry`, telling it again is safe. */
  | { readonly is: 'given'; readonly retry: boolean }
  /** The node is out of service: on its way, failed, or for a reason of its own. */
  | { readonly is: 'taken' }
  /** The node is back in service. */
  | { readonly is: 'over' }
  /** The node was not told and will not be. */
  | { readonly is: 'void' }

/** What a picture of the node, however old, says about its turn. */
export function turnState(turn: Turn, node: NodeFacts): TurnState {
  if (node.version === turn.from) return { is: 'given', retry: true }
  if (isOlder(node.version, turn.from)) return { is: 'given', retry: false }
  if (!isDone(node) || !isReady(node)) return { is: 'taken' }
  return { is: node.desired === turn.config && node.desiredImage === turn.image ? 'over' : 'void' }
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
