import type { Condition } from '@machinist/core/objects/resource'
import { keyOf, referenceTo } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, setCondition } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import { crioCredentialProviderConfigs as resource } from '../../api/openshift-config.ts'
import { settingsEvents } from '../../api/reasons.ts'
import { isReportable } from '../generated/reportable.ts'
import type { SettingsFailing } from '../generated/settings-failing.ts'
import type { StoreProblem } from '../generated/store.ts'
import { conditionsFor } from './conditions.ts'
import type { CredentialProvidersPlan } from './decide.ts'
import type { CredentialProvidersFacts } from './facts.ts'

export type CredentialProvidersPass = Pass<
  CredentialProvidersFacts,
  CredentialProvidersPlan,
  readonly StoreProblem[]
>

export interface CredentialProvidersReportContext extends Pick<
  StepContext,
  'client' | 'events' | 'log' | 'signal'
> {
  readonly failing: SettingsFailing
}

const { kind } = resource
const series = { kind, name: names.clusterConfig }

/** The metric, events on the object, and its status. */
export async function report(
  pass: CredentialProvidersPass,
  { failing, log, ...step }: CredentialProvidersReportContext,
): Promise<void> {
  const { object, isLost } = pass.facts
  if (isLost) {
    log.info('the API server no longer serves a kind, keeping the last settings', { kind })
    return failing.set(series, 1)
  }
  if (!object) return failing.forget(series)
  const { skipped, waits, specs, held } = pass.plan
  const refused = pass.type === 'acted' ? pass.result : []
  const problems = [...pass.plan.problems, ...refused.map(({ message }) => message)]
  if (!isReportable(pass, [...problems, ...skipped])) return
  const isFailing = problems.length + skipped.length > 0
  const isUndecided = waits.length > 0 || pass.type === 'failed'
  if (!isUndecided || isFailing) failing.set(series, isFailing ? 1 : 0)
  const isRendered = specs.size + held.length > 0
  const result = { skipped, problems, isRendered, isUndecided }
  await reportConditions(object, conditionsFor(result, object.metadata.generation), step)
  for (const why of problems) log.info('cannot apply settings', { kind, why })
}

/** Writes the status if a condition changes, and emits an event for each new failure. */
async function reportConditions(
  object: Readonly<CRIOCredentialProviderConfig>,
  reports: readonly ConditionReport[],
  { client, events, signal }: Pick<StepContext, 'client' | 'events' | 'signal'>,
): Promise<void> {
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
