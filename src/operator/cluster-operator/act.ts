import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { names } from '../../api/names.ts'
import { clusterOperators } from '../../api/openshift-config.ts'
import type { ClusterOperatorPlan } from './decide.ts'
import type { ClusterOperatorFacts } from './facts.ts'

export interface ClusterOperatorResult {
  /** Whether the cluster serves the kind. */
  readonly isServed: boolean
}

/** Creates the ClusterOperator if it is missing. */
export async function act(
  { type }: ClusterOperatorPlan,
  { found }: ClusterOperatorFacts,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<ClusterOperatorResult> {
  if (type === 'notServed') return { isServed: false }
  if (found) return { isServed: true }
  const { clusterOperator: name } = names
  try {
    await client.create(clusterOperators, { metadata: { name }, spec: {} }, { signal })
    return { isServed: true }
  } catch (error) {
    if (isAlreadyExists(error)) return { isServed: true }
    if (isNotFound(error)) return { isServed: false }
    throw error
  }
}
