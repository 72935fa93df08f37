import { sameJson } from '@machinist/core/encoding/json'
import { modify } from '@machinist/kube/client/modify'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { names } from '../../api/names.ts'
import type { ClusterOperator, ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { clusterOperators } from '../../api/openshift-config.ts'

/** The result of a status write. */
export type StatusWrite =
  | { readonly type: 'unchanged' }
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
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<StatusWrite> {
  if (cached && sameJson(desired(cached.status), cached.status)) return { type: 'unchanged' }
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
