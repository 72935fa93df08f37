import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, setCondition } from '../../api/conditions.ts'
import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import { settingsEvents } from '../../api/reasons.ts'
import type { Condition } from '@machinist/core/objects/resource'
import { keyOf, referenceTo } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { ignoreNotFound } from '@machinist/kube/failure'

export interface CredentialProvidersReportOptions {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly signal: AbortSignal
}

/** Writes the status if a condition changes, and emits an event for each new failure. */
export async function reportConditions(
  object: Readonly<CRIOCredentialProviderConfig>,
  reports: readonly ConditionReport[],
  { client, events, signal }: CredentialProvidersReportOptions,
): Promise<void> {
  const resource = crioCredentialProviderConfigs
  const before = object.status?.conditions
  for (const { type, status, message = '' } of reports) {
    const old = conditionOf(before, type)
    if (status === 'True' || (old?.status === status && old.message === message)) continue
    events.warning(referenceTo(resource, object), settingsEvents.settingsFailed, message)
  }
  const now = timestamp(client.clock.now())
  const after = (conditions: readonly Condition[] | undefined): readonly Condition[] | undefined =>
    reports.reduce((all, report) => setCondition(all, report, now), conditions)
  if (after(before) === before) return
  // An object that was recreated under the same name has not been reconciled yet.
  const change = (
    current: CRIOCredentialProviderConfig,
  ): CRIOCredentialProviderConfig | undefined =>
    current.metadata.uid === object.metadata.uid
      ? {
          ...current,
          status: {
            ...current.status,
            conditions: after(current.status?.conditions) as Condition[],
          },
        }
      : undefined
  await ignoreNotFound(
    modify(client, resource, keyOf(object), change, { subresource: 'status', signal }),
  )
}
