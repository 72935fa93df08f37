import { sameJson } from '@machinist/core/json'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import { ifThere } from '@machinist/kube/failure'
import type { ToldKind, Verdict } from './conditions.ts'
import { conditionsAfter, isOpen } from './conditions.ts'
import type { NodeSettings } from './settings-kind.ts'

export interface StatusOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** One write, and only if there is something to say. */
export async function showStatus<T extends NodeSettings>(
  object: Readonly<T>,
  verdict: Verdict,
  kind: ToldKind<T>,
  { client, signal }: StatusOptions,
): Promise<void> {
  const now = timestamp(client.clock.now())
  const { name, uid, generation } = object.metadata
  const isJudged = generation !== undefined && !isOpen(verdict)
  const statusAfter = ({ status }: Readonly<T>): T['status'] => {
    const conditions = conditionsAfter(status?.conditions ?? [], verdict, kind, now)
    const isSilent = conditions.length === 0 && !status?.conditions
    return {
      ...status,
      ...(isJudged && { observedGeneration: generation }),
      ...(!isSilent && { conditions }),
    }
  }
  if (sameJson(statusAfter(object), object.status ?? {})) return
  // What was made anew under the same name has not been looked at yet.
  const change = (current: T): T | undefined =>
    current.metadata.uid === uid ? { ...current, status: statusAfter(current) } : undefined
  await ifThere(modify(client, kind.resource, { name }, change, { subresource: 'status', signal }))
}
