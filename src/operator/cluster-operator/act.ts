import { names } from '../../api/names.ts'
import type { ClusterOperator, ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import { sameJson } from '@machinist/core/json'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'

export interface ActOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** What was shown, or that there is nowhere to show it. */
export type Shown =
  | { readonly is: 'unchanged' | 'not served' }
  | {
      readonly is: 'written'
      readonly before: ClusterOperatorStatus | undefined
      readonly object: ClusterOperator
    }

const { clusterOperator: name } = names

/**
 * One write of the status, and only if there is something to say. `wanted` is pure and is asked again when somebody else
 * wrote in between.
 */
export async function show(
  cached: Readonly<ClusterOperator> | undefined,
  wanted: (found: ClusterOperatorStatus | undefined) => ClusterOperatorStatus,
  { client, signal }: ActOptions,
): Promise<Shown> {
  if (cached && sameJson(wanted(cached.status), cached.status)) return { is: 'unchanged' }
  if (!cached && !(await made({ client, signal }))) return { is: 'not served' }
  let before: ClusterOperatorStatus | undefined
  let isWritten = false
  const change = (current: ClusterOperator): ClusterOperator => {
    before = current.status
    const status = wanted(before)
    isWritten = !sameJson(status, before)
    return { ...current, status }
  }
  const write = { subresource: 'status', signal } as const
  const object = await modify(client, clusterOperators, { name }, change, write)
  return isWritten ? { is: 'written', before, object } : { is: 'unchanged' }
}

/** False where the cluster has no such kind. */
async function made({ client, signal }: ActOptions): Promise<boolean> {
  try {
    await client.create(clusterOperators, { metadata: { name }, spec: {} }, { signal })
    return true
  } catch (error) {
    if (isAlreadyExists(error)) return true
    if (isNotFound(error)) return false
    throw error
  }
}
