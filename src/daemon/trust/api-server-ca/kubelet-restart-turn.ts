import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { jitter } from '@machinist/core/random'
import { timestamp } from '@machinist/core/timestamp'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { ignoreNotFound, isConflict, isRefused } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { NodeTrust } from '../../../api/kinds/resources.ts'
import { nodeTrusts } from '../../../api/kinds/resources.ts'

/** Waits for this node's turn and runs `work` in it. Returns undefined if the signal aborts first. */
export type KubeletRestartTurn = <V>(
  signal: AbortSignal,
  work: () => Promise<V>,
) => Promise<V | undefined>

export interface TurnOptions extends Pick<
  ControllerContext,
  'client' | 'clock' | 'random' | 'log'
> {
  readonly node: string
}

const requestMs = 10_000
const retryMs = 5000
/** The duration of a watch, and the idle time after which its connection counts as broken. */
const watchLimits = { timeoutSeconds: 240, idleMs: 300_000 }

/**
 * Turns that the operator grants in the spec of NodeTrust. The lane requests a turn in the status, and removes the request when
 * the work is done, which returns the turn. A request that the API server refuses is thrown; other failures are retried.
 */
export function operatorTurns(options: TurnOptions): KubeletRestartTurn {
  return async (signal, work) => ((await beginTurn(options, signal)) ? await work() : undefined)
}

async function beginTurn(options: TurnOptions, signal: AbortSignal): Promise<boolean> {
  const { clock, random, log } = options
  while (!signal.aborted) {
    try {
      const seen = await ownTrust(options, signal)
      if (isGranted(seen) && (await begin(options, seen, signal))) return true
      await untilChanged(options, seen, signal)
    } catch (error) {
      if (signal.aborted) return false
      if (isRefused(error)) throw error
      log.info('cannot read whether the kubelet may be restarted, retrying', {
        why: messageOf(error),
      })
      await sleep(clock, jitter(random, retryMs, 1), signal)
    }
  }
  return false
}

const ownTrust = (
  { client, node: name }: TurnOptions,
  signal: AbortSignal,
): Promise<NodeTrust | undefined> =>
  ignoreNotFound(client.get(nodeTrusts, { name }, { signal, timeoutMs: requestMs }))

const isGranted = (trust: NodeTrust | undefined): trust is NodeTrust =>
  trust?.spec?.kubeletRestart?.grantedAt !== undefined &&
  trust.status?.kubeletRestart?.requestedAt !== undefined

/** Marks the turn as started. Conflicts if the operator has withdrawn the turn; after this, the operator waits for the restart. */
async function begin(
  { client, clock, node: name }: TurnOptions,
  { metadata: { resourceVersion } }: NodeTrust,
  signal: AbortSignal,
): Promise<boolean> {
  const status = { kubeletRestart: { startedAt: timestamp(clock.now()) } }
  const patch = mergePatch({ metadata: { resourceVersion }, status })
  const call = { signal, timeoutMs: requestMs, subresource: 'status' as const }
  try {
    await client.patch(nodeTrusts, { name }, patch, call)
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

/** Returns when the object changes or the server ends the watch. */
async function untilChanged(
  { client, clock, random, node }: TurnOptions,
  seen: NodeTrust | undefined,
  signal: AbortSignal,
): Promise<void> {
  // The lane creates the object.
  if (!seen) return sleep(clock, jitter(random, retryMs, 1), signal)
  const { resourceVersion = '' } = seen.metadata
  const options = { ...watchLimits, fields: `metadata.name=${node}`, resourceVersion }
  for await (const { type } of client.watch(nodeTrusts, options, signal)) {
    if (type !== 'BOOKMARK') return
  }
}
