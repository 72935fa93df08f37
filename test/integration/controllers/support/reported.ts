import type { Condition } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { coreEvents } from '@machinist/kube/kinds/events'
import { until } from '@machinist/testing/until'
import { conditionOf } from '../../../../src/api/conditions.ts'
import { machineConfigPools } from '../../../../src/api/kinds/resources.ts'

/** A condition of a pool, if it exists. */
export async function poolCondition(
  client: KubeClient,
  pool: string,
  type: string,
): Promise<Condition | undefined> {
  const { status } = await client.get(machineConfigPools, { name: pool })
  return conditionOf(status?.conditions, type)
}

/** Waits for a condition of a pool. */
export function untilPoolCondition(
  client: KubeClient,
  pool: string,
  { type, status, text = '' }: { type: string; status: string; text?: string },
): Promise<void> {
  return until(`pool ${pool} has ${type} ${status} ${text}`, async () => {
    const condition = await poolCondition(client, pool, type)
    return condition?.status === status && (condition.message ?? '').includes(text)
  })
}

/** Waits for an event with this message, or with this text in its message. */
export function untilEvent(
  client: KubeClient,
  {
    reason,
    message,
    text = message ?? '',
    about,
  }: { reason: string; message?: string; text?: string; about?: string },
): Promise<void> {
  return until(`event ${reason} ${text}`, async () => {
    const { items } = await client.list(coreEvents)
    return items.some(
      (event) =>
        event.reason === reason &&
        (message === undefined || event.message === message) &&
        (event.message ?? '').includes(text) &&
        (about === undefined || event.involvedObject.kind === about),
    )
  })
}
