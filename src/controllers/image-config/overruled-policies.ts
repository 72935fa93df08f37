import { plain } from '@machinist/core/quoted'
import type { Condition } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { isNotFound, isRefused } from '@machinist/kube/failure'
import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, setCondition } from '../../api/conditions.ts'
import type { ImagePolicy } from '../../api/openshift-config.ts'
import { imagePolicies } from '../../api/openshift-config.ts'
import type { Overruled } from './signatures/signature-policies.ts'

/* The Pending condition of ImagePolicies whose scopes a ClusterImagePolicy covers; MCO sets the same condition. */

const type = 'Pending'
const reasons = { conflict: 'ConflictScopes', none: 'AsExpected' } as const

/** Undefined if there is nothing to report and no earlier report to clear. */
export function overruledCondition({ policy, scopes }: Overruled): ConditionReport | undefined {
  const { generation } = policy.metadata
  const report = (reason: string, message: string): ConditionReport => ({
    type,
    status: 'False',
    reason,
    message,
    ...(generation !== undefined && { observedGeneration: generation }),
  })
  if (scopes.length > 0) {
    const covered = scopes.map(plain).join(', ')
    return report(
      reasons.conflict,
      `a ClusterImagePolicy covers ${covered} and takes precedence there; remove the covered scopes from spec.scopes`,
    )
  }
  const before = conditionOf(policy.status?.conditions, type)
  if (before?.reason !== reasons.conflict && before?.reason !== reasons.none) return undefined
  return report(reasons.none, 'no ClusterImagePolicy covers a scope of this ImagePolicy')
}

/** Reports overruled ImagePolicies, and remembers whether the last report was rejected. */
export class OverruledPolicies {
  #isRefused = false

  /** RBAC or admission policies that rejected the last report may change without a watch event. */
  get isRefused(): boolean {
    return this.#isRefused
  }

  /** A rejected write must not block the rest of the reconcile. */
  async report(
    all: readonly Overruled[],
    { client, log, signal }: Pick<StepContext, 'client' | 'log' | 'signal'>,
  ): Promise<void> {
    this.#isRefused = false
    try {
      for (const overruled of all) await reportOverruled(overruled, client, signal)
    } catch (error) {
      if (!isRefused(error)) throw error
      log.error('cannot set the Pending condition of an ImagePolicy', error)
      this.#isRefused = true
    }
  }
}

/** Writes the status only if the condition changes. */
async function reportOverruled(
  overruled: Overruled,
  client: KubeClient,
  signal: AbortSignal,
): Promise<void> {
  const report = overruledCondition(overruled)
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
