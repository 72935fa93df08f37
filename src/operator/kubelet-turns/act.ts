import { timestamp } from '@machinist/core/timestamp'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { NodeTrustSpec } from '../../api/kinds/node-trust.ts'
import { nodeTrusts } from '../../api/kinds/resources.ts'
import type { KubeletTurnsPlan, TurnStep } from './decide.ts'
import type { KubeletTurnsSources } from './gather.ts'

export interface KubeletTurnsWriteContext
  extends KubeletTurnsSources, Pick<StepContext, 'client' | 'clock' | 'log' | 'signal'> {}

export interface KubeletTurnsResult {
  /** Nodes whose turn was withdrawn. */
  readonly withdrawn: readonly string[]
  /** Why not all steps were taken: a NodeTrust changed concurrently, or a write failed. */
  readonly stopped?:
    { readonly type: 'conflict' } | { readonly type: 'failed'; readonly failure: unknown }
}

/** Takes the steps in order, until one fails. */
export async function act(
  { steps }: KubeletTurnsPlan,
  context: KubeletTurnsWriteContext,
): Promise<KubeletTurnsResult> {
  const withdrawn: string[] = []
  for (const step of steps) {
    try {
      if (!(await writeTurn(step, context))) return { withdrawn, stopped: { type: 'conflict' } }
    } catch (failure) {
      return { withdrawn, stopped: { type: 'failed', failure } }
    }
    if (step.action === 'withdraw') withdrawn.push(step.node)
  }
  return { withdrawn }
}

/** False if the NodeTrust changed concurrently. */
async function writeTurn(
  { action, node: name, version: resourceVersion }: TurnStep,
  context: KubeletTurnsWriteContext,
): Promise<boolean> {
  const { grantedTurns, lostTurns, client, clock, log, signal } = context
  const kubeletRestart = written[action](timestamp(clock.now()))
  // With the resourceVersion of the decision: the daemon may have started the turn since, or returned it.
  const patch = mergePatch({ metadata: { resourceVersion }, spec: { kubeletRestart } })
  try {
    grantedTurns.wrote(await client.patch(nodeTrusts, { name }, patch, { signal }))
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false
    if (action === 'grant') grantedTurns.mayBeGranted(name, resourceVersion)
    throw error
  }
  if (action !== 'grant') lostTurns.released(name)
  log.info(messages[action], { node: name })
  return true
}

type WrittenTurn = Record<keyof NonNullable<NodeTrustSpec['kubeletRestart']>, string | null>

const written: Readonly<Record<TurnStep['action'], (now: string) => Partial<WrittenTurn> | null>> =
  {
    grant: (grantedAt) => ({ grantedAt }),
    withdraw: (withdrawnAt) => ({ grantedAt: null, withdrawnAt }),
    clear: () => null,
  }

const messages: Readonly<Record<TurnStep['action'], string>> = {
  grant: 'granted a turn to restart the kubelet',
  withdraw: 'withdrew a turn to restart the kubelet',
  clear: 'cleared a turn to restart the kubelet',
}
