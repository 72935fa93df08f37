import type { NodeTrust } from '../../api/resources.ts'
import { nodeTrusts } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import { jitter } from '@machinist/core/random'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere, isConflict, isRefused } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'

/** Waits for this node's turn and does the work in it. Nothing if the signal aborts first. */
export type Turn = <V>(signal: AbortSignal, work: () => Promise<V>) => Promise<V | undefined>

export interface TurnOptions {
  readonly node: string
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

const requestMs = 10_000
const retryMs = 5000
/** How long a watch lasts, and after which silence its connection is taken for broken. */
const lasting = { timeoutSeconds: 240, idleMs: 300_000 }

/**
 * Turns that the operator grants on the node's NodeTrust. The lane requests one in the status there, and removes the request
 * when the work is over: that gives the turn back. A refusal by the API server is thrown; whatever else fails is tried again.
 */
export function turnsOfOperator(options: TurnOptions): Turn {
  return async (signal, work) => ((await turnBegun(options, signal)) ? await work() : undefined)
}

async function turnBegun(options: TurnOptions, signal: AbortSignal): Promise<boolean> {
  const { clock, random, log } = options
  while (!signal.aborted) {
    try {
      const seen = await ownTrust(options, signal)
      if (isGranted(seen) && (await begin(options, seen, signal))) return true
      await untilChanged(options, seen, signal)
    } catch (error) {
      if (signal.aborted) return false
      if (isRefused(error)) throw error
      log.info('cannot look for the turn to restart the kubelet', { why: messageOf(error) })
      await sleep(clock, jitter(random, retryMs, 1), signal)
    }
  }
  return false
}

const ownTrust = (
  { client, node: name }: TurnOptions,
  signal: AbortSignal,
): Promise<NodeTrust | undefined> =>
  ifThere(client.get(nodeTrusts, { name }, { signal, timeoutMs: requestMs }))

const isGranted = (trust: NodeTrust | undefined): trust is NodeTrust =>
  trust?.spec?.kubeletRestart?.grantedAt !== undefined &&
  trust.status?.kubeletRestart?.requestedAt !== undefined

/** Refused if the operator has withdrawn the turn meanwhile: from here on, it leaves the node time for a restart. */
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

/** Until the object is another one, or the server ends the watch. */
async function untilChanged(
  { client, clock, random, node }: TurnOptions,
  seen: NodeTrust | undefined,
  signal: AbortSignal,
): Promise<void> {
  // The lane makes it.
  if (!seen) return sleep(clock, jitter(random, retryMs, 1), signal)
  const { resourceVersion = '' } = seen.metadata
  const options = { ...lasting, fields: `metadata.name=${node}`, resourceVersion }
  for await (const { type } of client.watch(nodeTrusts, options, signal)) {
    if (type !== 'BOOKMARK') return
  }
}
