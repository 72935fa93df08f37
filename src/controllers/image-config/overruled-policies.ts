import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, setCondition } from '../../api/conditions.ts'
import type { ImagePolicy } from '../../api/openshift-config.ts'
import { imagePolicies } from '../../api/openshift-config.ts'
import { plain } from '@machinist/core/quoted'
import type { Condition } from '@machinist/core/resource'
import { keyOf } from '@machinist/core/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import { isNotFound } from '@machinist/kube/failure'
import type { Overruled } from './signature-policies.ts'

/* What an ImagePolicy is told about scopes that a ClusterImagePolicy decides; the original tells it in the same way. */

const type = 'Pending'
const reasons = { conflict: 'ConflictScopes', none: 'AsExpected' } as const

/** Undefined: there is nothing to say, and never was. */
export function overruledReport({ policy, scopes }: Overruled): ConditionReport | undefined {
  const { generation } = policy.metadata
  const report = (reason: string, message: string): ConditionReport => ({
    type,
    status: 'False',
    reason,
    message,
    ...(generation !== undefined && { observedGeneration: generation }),
  })
  if (scopes.length > 0) {
    const which = scopes.map(plain).join(', ')
    return report(
      reasons.conflict,
      `a ClusterImagePolicy covers ${which}, and it alone decides about images there; remove what is covered from spec.scopes`,
    )
  }
  const told = conditionOf(policy.status?.conditions, type)
  if (told?.reason !== reasons.conflict && told?.reason !== reasons.none) return undefined
  return report(reasons.none, 'no ClusterImagePolicy covers any of its scopes')
}

/** One write, and only if it says something new. */
export async function tellOverruled(
  overruled: Overruled,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  const report = overruledReport(overruled)
  const { policy } = overruled
  const before = policy.status?.conditions
  const now = timestamp(client.clock.now())
  if (!report || setCondition(before, report, now) === before) return
  const change = (current: ImagePolicy): ImagePolicy => ({
    ...current,
    status: { conditions: setCondition(current.status?.conditions, report, now) as Condition[] },
  })
  try {
    await modify(client, imagePolicies, keyOf(policy), change, { subresource: 'status', signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
