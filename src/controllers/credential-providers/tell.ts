import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, setCondition } from '../../api/conditions.ts'
import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import { crioCredentialProviderConfigs } from '../../api/openshift-config.ts'
import { settingsEvents } from '../../api/reasons.ts'
import type { Condition } from '@machinist/core/resource'
import { keyOf, referenceTo } from '@machinist/core/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { ifThere } from '@machinist/kube/failure'

export interface TellOptions {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly signal: AbortSignal
}

/** One write, and only if it says something new; an event for each failure that is new. */
export async function tell(
  object: Readonly<CRIOCredentialProviderConfig>,
  reports: readonly ConditionReport[],
  { client, events, signal }: TellOptions,
): Promise<void> {
  const place = crioCredentialProviderConfigs
  const before = object.status?.conditions
  for (const { type, status, message = '' } of reports) {
    const told = conditionOf(before, type)
    if (status === 'True' || (told?.status === status && told.message === message)) continue
    events.warning(referenceTo(place, object), settingsEvents.settingsFailed, message)
  }
  const now = timestamp(client.clock.now())
  const after = (conditions: readonly Condition[] | undefined): readonly Condition[] | undefined =>
    reports.reduce((all, report) => setCondition(all, report, now), conditions)
  if (after(before) === before) return
  // What was made anew under the same name has not been looked at yet.
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
  await ifThere(modify(client, place, keyOf(object), change, { subresource: 'status', signal }))
}
