import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { WritePacer } from '@machinist/kube/controller/write-pacer'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, setCondition, trustDelivered } from '../../api/conditions.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { names } from '../../api/names.ts'
import type { TrustDeliveryPlan } from './decide.ts'
import type { TrustDeliveryFacts } from './facts.ts'
import type { TrackedDelivery } from './tracked-delivery.ts'

export interface TrustDeliveryWriteContext extends Pick<
  StepContext,
  'client' | 'clock' | 'log' | 'signal'
> {
  readonly tracked: TrackedDelivery
  readonly pacer: WritePacer
}

export interface TrustDeliveryResult {
  /** How long the write waits for more changes; 0 if it does not wait. */
  readonly waitMs: number
}

export type TrustDeliveryPass = Pass<TrustDeliveryFacts, TrustDeliveryPlan, TrustDeliveryResult>

/** Writes the condition of the ControllerConfig, unless it waits for more changes. */
export async function act(
  { condition, pending }: TrustDeliveryPlan,
  context: TrustDeliveryWriteContext,
): Promise<TrustDeliveryResult> {
  const { pacer, clock, log } = context
  if (!condition) return { waitMs: 0 }
  const waitMs = pacer.waitMs(pending, clock.elapsed())
  if (waitMs === undefined) return { waitMs: 0 }
  if (waitMs > 0) return { waitMs }
  await writeCondition(condition, context)
  log.info('set the TrustDelivered condition', {
    status: condition.status,
    why: condition.message ?? '',
  })
  return { waitMs }
}

async function writeCondition(
  report: ConditionReport,
  { client, clock, signal, tracked, pacer }: TrustDeliveryWriteContext,
): Promise<void> {
  const now = timestamp(clock.now())
  const change = (current: ControllerConfig): ControllerConfig => {
    const conditions = setCondition(current.status?.conditions, report, now)
    return { ...current, status: { ...current.status, conditions: [...conditions] } }
  }
  const key = { name: names.controllerConfig }
  const call = { subresource: 'status', signal } as const
  const written = await ignoreNotFound(modify(client, controllerConfigs, key, change, call))
  tracked.wrote(conditionOf(written?.status?.conditions, trustDelivered))
  pacer.wrote(clock.elapsed())
}
