import type { Clock } from '@machinist/core/clock'
import { sleep, keepProcessAlive } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client/client'
import type { ObserveEnding } from '../../../views/rotate/ending.ts'
import type { RotationFacts } from '../../../views/rotate/facts.ts'
import type { RotationJournal } from '../../../views/rotate/journal.ts'
import type { RotationProgress } from '../../../views/rotate/progress.ts'
import { reportEnding } from './report-ending.ts'
import type { RotateOutput } from './output.ts'
import { followRotation } from './follow.ts'
import type { SignerTimeouts } from './await-signer.ts'
import { awaitSigner, defaultSignerTimeouts } from './await-signer.ts'
import { watchRotation } from './watch.ts'

export interface WatchSettings {
  /** Watch until the rotation completes; otherwise only until the signer reacts. */
  readonly watch: boolean
  /** Maximum duration. */
  readonly timeoutMs?: number
}

export interface RotateTools {
  readonly client: KubeClient
  readonly clock: Clock
  readonly output: RotateOutput
  /** Resolves when the user stops the command. */
  readonly stopped: () => Promise<void>
  readonly signerTimeouts?: SignerTimeouts
}

/** Sends the request, if there is one, and follows the rotation until the awaited state is reached. */
export async function observeRotation(
  facts: RotationFacts,
  journal: RotationJournal,
  watching: WatchSettings,
  tools: RotateTools,
  act?: () => Promise<void>,
): Promise<void> {
  const { client, clock, output } = tools
  const { watch: isWatched } = watching
  const following = new AbortController()
  const ended = new AbortController()
  const mayEnd = keepProcessAlive()
  let ending: ObserveEnding = { type: 'done' }
  const end = (reached: ObserveEnding): void => {
    if (ended.signal.aborted) return
    ending = reached
    ended.abort()
  }
  try {
    const followed = await followRotation(
      client,
      isWatched ? facts : onlyRotation(facts),
      clock,
      following.signal,
    )
    // Work from before the request does not belong to this rotation.
    const before = followed.facts()
    if (before) journal.record(before)
    await act?.()
    const reacted = startDeadlines(journal, watching, tools, end, ended.signal)
    const endsAlone = endsByItself(facts)
    const isOver = (progress: RotationProgress): boolean => {
      if (progress.current) reacted()
      return isWatched && endsAlone ? progress.phase === 'Completed' : !!progress.current
    }
    const show = isWatched ? output.progress : (): void => {}
    const options = { journal, clock, ticks: output.ticks && isWatched, show, isOver }
    const last = await watchRotation(followed, options, ended.signal)
    if (!last) throw new InvalidInput(`TrustRotation ${facts.rotation.metadata.name} was deleted`)
    reportEnding(ending, last, { isWatched, endsByItself: endsAlone }, output)
  } finally {
    ended.abort()
    following.abort()
    mayEnd()
  }
}

/** Starts everything else that can end the observation. Call the result when the signer has reacted. */
function startDeadlines(
  { requestedAt }: RotationJournal,
  { watch: isWatched, timeoutMs }: WatchSettings,
  { client, clock, stopped, signerTimeouts = defaultSignerTimeouts }: RotateTools,
  end: (ending: ObserveEnding) => void,
  signal: AbortSignal,
): () => void {
  if (isWatched) void stopped().then(() => end({ type: 'stopped' }))
  if (isWatched && timeoutMs !== undefined) {
    void sleep(clock, timeoutMs, signal).then(() => end({ type: 'timeout', afterMs: timeoutMs }))
  }
  const reacted = new AbortController()
  const done = AbortSignal.any([reacted.signal, signal])
  if (requestedAt !== undefined) {
    void awaitSigner(client, clock, signerTimeouts, done).then((why) =>
      why === undefined ? undefined : end({ type: 'noReaction', why }),
    )
  }
  return () => reacted.abort()
}

/** The TrustRotation without the rest of the cluster. */
function onlyRotation({ now, rotation, delivery }: RotationFacts): RotationFacts {
  return { now, rotation, delivery, pools: [] }
}

/** If time alone decides, old CAs stay until they expire, which takes too long to watch. */
const endsByItself = ({ rotation: { spec } }: RotationFacts): boolean =>
  (spec.trustedBy !== undefined || spec.userData !== undefined) && spec.renew !== 'WhenExpired'
