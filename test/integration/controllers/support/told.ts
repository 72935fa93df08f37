import { conditionOf } from '../../../../src/api/conditions.ts'
import { machineConfigPools } from '../../../../src/api/resources.ts'
import type { Condition } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { coreEvents } from '@machinist/kube/kinds/events'
import { until } from '@machinist/testing/until'

/** What a pool says in a condition; undefined where it says nothing. */
export async function poolCondition(
  client: KubeClient,
  pool: string,
  type: string,
): Promise<Condition | undefined> {
  const { status } = await client.get(machineConfigPools, { name: pool })
  return conditionOf(status?.conditions, type)
}

/** Waits for a condition of a pool. */
export function poolSays(
  client: KubeClient,
  pool: string,
  { type, status, text = '' }: { type: string; status: string; text?: string },
): Promise<void> {
  return until(`pool ${pool} says ${status} ${text}`, async () => {
    const condition = await poolCondition(client, pool, type)
    return condition?.status === status && (condition.message ?? '').includes(text)
  })
}

/** Waits for an event, about anything unless said. Its message is the one given, or has the text in it. */
export function eventTells(
  client: KubeClient,
  {
    reason,
    message,
    text = message ?? '',
    about,
  }: { reason: string; message?: string; text?: string; about?: string },
): Promise<void> {
  return until(`an event tells ${reason} ${text}`, async () => {
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
