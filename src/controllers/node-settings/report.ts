import { sameJson } from '@machinist/core/encoding/json'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { ReportedKind, SettingsReport } from './conditions.ts'
import { conditionsAfter, isUndecided } from './conditions.ts'
import type { NodeSettings } from './settings-kind.ts'

export interface NodeSettingsReportOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** Writes the status if it changes. */
export async function reportStatus<T extends NodeSettings>(
  object: Readonly<T>,
  report: SettingsReport,
  kind: ReportedKind<T>,
  { client, signal }: NodeSettingsReportOptions,
): Promise<void> {
  const now = timestamp(client.clock.now())
  const { name, uid, generation } = object.metadata
  const isDecided = generation !== undefined && !isUndecided(report)
  const statusAfter = ({ status }: Readonly<T>): T['status'] => {
    const conditions = conditionsAfter(status?.conditions ?? [], report, kind, now)
    const isEmpty = conditions.length === 0 && !status?.conditions
    return {
      ...status,
      ...(isDecided && { observedGeneration: generation }),
      ...(!isEmpty && { conditions }),
    }
  }
  if (sameJson(statusAfter(object), object.status ?? {})) return
  // An object that was recreated under the same name has not been reconciled yet.
  const change = (current: T): T | undefined =>
    current.metadata.uid === uid ? { ...current, status: statusAfter(current) } : undefined
  await ignoreNotFound(
    modify(client, kind.resource, { name }, change, { subresource: 'status', signal }),
  )
}
