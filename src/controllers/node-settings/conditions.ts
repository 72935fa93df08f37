import type { Condition } from '@machinist/core/objects/resource'
import type { ConditionReport } from '../../api/conditions.ts'
import {
  conditionOf,
  nodeSettingsConditions,
  ownNodeSettingsConditions,
  setCondition,
  maxMessageLength,
} from '../../api/conditions.ts'
import { nodeSettingsReasons, settingsEvents } from '../../api/reasons.ts'
import type { PoolWait } from './decide.ts'
import type { SettingsFailure } from './failure.ts'
import { groupByPool } from './failure.ts'
import type { Overridden } from './overridden.ts'
import { overriddenText } from './overridden.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'

/** The outcome of an object, to be reported in its conditions. */
export interface SettingsReport {
  readonly failures: readonly SettingsFailure[]
  readonly waits: readonly PoolWait[]
  /** Fields without effect. */
  readonly ineffective: readonly string[]
  readonly overridden: readonly Overridden[]
}

export type ReportedKind<T extends NodeSettings> = Pick<
  SettingsKind<T, unknown>,
  'resource' | 'reportsAccepted'
>

/** While a pool waits, only failures are final: a success of other pools must not look like a success of the object. */
export function isUndecided({ failures, waits }: SettingsReport): boolean {
  return waits.length > 0 && failures.length === 0
}

const { accepted, success, failure } = nodeSettingsConditions
/** How many `Accepted` conditions a KubeletConfig keeps, the newest last. */
const acceptedHistory = 3

/**
 * The new conditions: additional ones, then the history of `Accepted` if the kind reports it, then `Success` or `Failure`, which
 * the render controller reads. Unchanged conditions keep their time.
 */
export function conditionsAfter(
  before: readonly Condition[],
  report: SettingsReport,
  { resource, reportsAccepted }: ReportedKind<NodeSettings>,
  now: string,
): Condition[] {
  const additional = additionalConditions(report, resource.kind)
  const updated = additional.flatMap((condition) => updatedCondition(before, condition, now))
  if (isUndecided(report)) {
    const isAdditional = (type: string): boolean => additional.some((one) => one.type === type)
    return [...updated, ...before.filter(({ type }) => !isAdditional(type))]
  }
  const { reason, message, isSuccess } = resultOf(report)
  const ofType = (type: string): Condition[] => before.filter((one) => one.type === type)
  const reported = (condition: ConditionReport, old: Condition | undefined): Condition =>
    old && isSameReport(old, condition) ? old : { ...condition, lastTransitionTime: now }
  const history = ofType(accepted)
  const latest = reported(
    { type: accepted, status: isSuccess ? 'True' : 'False', reason, message },
    history.at(-1),
  )
  const type = isSuccess ? success : failure
  return [
    ...updated,
    ...(reportsAccepted
      ? [...(latest === history.at(-1) ? history : [...history, latest])].slice(-acceptedHistory)
      : []),
    reported({ type, status: 'True', reason, message }, ofType(type).at(-1)),
  ]
}

/** An event on the object. */
export interface SettingsEvent {
  readonly isFailure: boolean
  readonly reason: string
  readonly message: string
}

/** Events for everything that the conditions of the object do not report yet. */
export function newEvents(
  { status }: Readonly<NodeSettings>,
  report: SettingsReport,
  kind: string,
): SettingsEvent[] {
  const { conditions = [] } = status ?? {}
  const { message, isSuccess } = resultOf(report)
  const last = conditions.at(-1)
  const isNew = !isSuccess && (last?.type !== failure || last.message !== message)
  const additional = additionalConditions(report, kind).filter((condition) => {
    const old = conditionOf(conditions, condition.type)
    return condition.message !== '' && (old?.status !== 'True' || old.message !== condition.message)
  })
  return [
    ...(isNew ? [{ isFailure: true, reason: settingsEvents.settingsFailed, message }] : []),
    ...additional.flatMap(({ event, message: text }) =>
      event === undefined ? [] : { isFailure: false, reason: event, message: text },
    ),
  ]
}

function resultOf({ failures }: SettingsReport): {
  reason: string
  message: string
  isSuccess: boolean
} {
  const [first] = failures
  if (!first) return { reason: nodeSettingsReasons.success, message: 'Success', isSuccess: true }
  const message = `Error: ${groupByPool(failures)}`.slice(0, maxMessageLength)
  return { reason: first.reason, message, isSuccess: false }
}

/** A condition beside `Accepted`, `Success` and `Failure`. */
interface AdditionalCondition {
  readonly type: string
  readonly reason: string
  /** Empty if the condition is False. */
  readonly message: string
  readonly event?: string
}

function additionalConditions(report: SettingsReport, kind: string): AdditionalCondition[] {
  const { waiting, noEffect, overridden } = ownNodeSettingsConditions
  const reasons = nodeSettingsReasons
  const events = settingsEvents
  const ineffective = report.ineffective.join('; ')
  const conditions = [
    additionalCondition(waiting, reasons.templatesNotDone, waitsText(report)),
    additionalCondition(noEffect, reasons.noEffect, ineffective, events.fieldsWithoutEffect),
  ]
  if (isUndecided(report)) return conditions
  const lost = overriddenText(kind, report.overridden)
  return [
    ...conditions,
    additionalCondition(overridden, reasons.overridden, lost, events.fieldsOverridden),
  ]
}

function additionalCondition(
  type: string,
  reason: string,
  text: string,
  event?: string,
): AdditionalCondition {
  return {
    type,
    reason,
    message: text.slice(0, maxMessageLength),
    ...(event !== undefined && { event }),
  }
}

/** A pool whose MachineConfig is up to date needs no report. */
const waitsText = ({ waits }: SettingsReport): string =>
  groupByPool(waits.filter(({ isUpToDate }) => !isUpToDate))

/** The condition is set once it was True, so that objects without it stay free of noise. */
function updatedCondition(
  before: readonly Condition[],
  { type, reason, message }: AdditionalCondition,
  now: string,
): Condition[] {
  const old = conditionOf(before, type)
  const isTrue = message !== ''
  if (!isTrue && !old) return []
  const report: ConditionReport = {
    type,
    status: isTrue ? 'True' : 'False',
    reason: isTrue ? reason : nodeSettingsReasons.asExpected,
    message,
  }
  return [...setCondition(old ? [old] : [], report, now)]
}

function isSameReport(old: Condition, report: ConditionReport): boolean {
  return (
    old.status === report.status &&
    (old.reason ?? '') === report.reason &&
    (old.message ?? '') === report.message
  )
}
