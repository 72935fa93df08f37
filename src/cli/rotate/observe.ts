import type { Clock } from '@machinist/core/clock'
import { sleep, stayAwake } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client'
import type { Ending } from './ending.ts'
import { tellEnding } from './ending.ts'
import type { RotationFacts } from '../../views/rotate/facts.ts'
import type { Journal } from '../../views/rotate/journal.ts'
import type { Output } from './output.ts'
import type { Progress } from '../../views/rotate/progress.ts'
import { follow } from './sight.ts'
import type { Patience } from './unanswered.ts'
import { unanswered, usualPatience } from './unanswered.ts'
import { watch } from './watch.ts'

export interface Watching {
  /** To its end; otherwise only until the signer has reacted. */
  readonly watch: boolean
  /** How long it is followed at most. */
  readonly timeoutMs?: number
}

export interface Tools {
  readonly client: KubeClient
  readonly clock: Clock
  readonly output: Output
  /** Resolves when somebody has seen enough. */
  readonly stopped: () => Promise<void>
  readonly patience?: Patience
}

/** Does what is to be done, and follows the rotation until what is waited for has happened. */
export async function observe(
  facts: RotationFacts,
  journal: Journal,
  watching: Watching,
  tools: Tools,
  act?: () => Promise<void>,
): Promise<void> {
  const { client, clock, output } = tools
  const { watch: isWatched } = watching
  const following = new AbortController()
  const ended = new AbortController()
  const mayEnd = stayAwake()
  let ending: Ending = { is: 'over' }
  const end = (how: Ending): void => {
    if (ended.signal.aborted) return
    ending = how
    ended.abort()
  }
  try {
    const sight = await follow(client, isWatched ? facts : only(facts), clock, following.signal)
    // What was there before is no work of this rotation's.
    const before = sight.facts()
    if (before) journal.see(before)
    await act?.()
    const reacted = waitFor(journal, watching, tools, end, ended.signal)
    const endsAlone = endsByItself(facts)
    const isOver = (progress: Progress): boolean => {
      if (progress.current) reacted()
      return isWatched && endsAlone ? progress.phase === 'Completed' : !!progress.current
    }
    const show = isWatched ? output.progress : (): void => {}
    const options = { journal, clock, ticks: output.ticks && isWatched, show, isOver }
    const last = await watch(sight, options, ended.signal)
    if (!last) throw new InvalidInput(`TrustRotation ${facts.rotation.metadata.name} is gone`)
    tellEnding(ending, last, { isWatched, endsByItself: endsAlone }, output)
  } finally {
    ended.abort()
    following.abort()
    mayEnd()
  }
}

/** Everything else that may end it. The answer tells that the signer has reacted. */
function waitFor(
  { askedAt }: Journal,
  { watch: isWatched, timeoutMs }: Watching,
  { client, clock, stopped, patience = usualPatience }: Tools,
  end: (how: Ending) => void,
  signal: AbortSignal,
): () => void {
  if (isWatched) void stopped().then(() => end({ is: 'stopped' }))
  if (isWatched && timeoutMs !== undefined) {
    void sleep(clock, timeoutMs, signal).then(() => end({ is: 'late', afterMs: timeoutMs }))
  }
  const reacted = new AbortController()
  const done = AbortSignal.any([reacted.signal, signal])
  if (askedAt !== undefined) {
    void unanswered(client, clock, patience, done).then((why) =>
      why === undefined ? undefined : end({ is: 'unanswered', why }),
    )
  }
  return () => reacted.abort()
}

/** Of the cluster no more than the TrustRotation. */
function only({ now, rotation, delivery }: RotationFacts): RotationFacts {
  return { now, rotation, delivery, pools: [] }
}

/** Where time alone decides, old CAs stay until they end: nobody sits that out. */
const endsByItself = ({ rotation: { spec } }: RotationFacts): boolean =>
  spec.trustedBy !== undefined && spec.renew !== 'WhenExpired'
