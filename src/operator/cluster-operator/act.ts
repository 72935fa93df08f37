import { names } from '../../api/names.ts'
import type { ClusterOperator, ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import { sameJson } from '@machinist/core/encoding/json'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'

export interface ClusterOperatorActOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** The result of a status write. */
export type StatusWrite =
  | { readonly type: 'unchanged' | 'notServed' }
  | {
      readonly type: 'written'
      readonly before: ClusterOperatorStatus | undefined
      readonly object: ClusterOperator
    }

const { clusterOperator: name } = names

/** Writes the status if it changes. `desired` is pure; it is called again after a conflict. */
export async function writeStatus(
  cached: Readonly<ClusterOperator> | undefined,
  desired: (found: ClusterOperatorStatus | undefined) => ClusterOperatorStatus,
  { client, signal }: ClusterOperatorActOptions,
): Promise<StatusWrite> {
  if (cached && sameJson(desired(cached.status), cached.status)) return { type: 'unchanged' }
  if (!cached && !(await createClusterOperator({ client, signal }))) return { type: 'notServed' }
  let before: ClusterOperatorStatus | undefined
  let isWritten = false
  const change = (current: ClusterOperator): ClusterOperator => {
    before = current.status
    const status = desired(before)
    isWritten = !sameJson(status, before)
    return { ...current, status }
  }
  const write = { subresource: 'status', signal } as const
  const object = await modify(client, clusterOperators, { name }, change, write)
  return isWritten ? { type: 'written', before, object } : { type: 'unchanged' }
}

/** False if the cluster does not serve the kind. */
async function createClusterOperator({
  client,
  signal,
}: ClusterOperatorActOptions): Promise<boolean> {
  try {
    await client.create(clusterOperators, { metadata: { name }, spec: {} }, { signal })
    return true
  } catch (error) {
    if (isAlreadyExists(error)) return true
    if (isNotFound(error)) return false
    throw error
  }
}
