import type { ConditionReport } from '../../api/conditions.ts'
import {
  conditionOf,
  nodeSettingsConditions,
  ownNodeSettingsConditions,
  setCondition,
  longestMessage,
} from '../../api/conditions.ts'
import { nodeSettingsReasons, settingsEvents } from '../../api/reasons.ts'
import type { Condition } from '@machinist/core/resource'
import type { Wait } from './decide.ts'
import type { Failure } from './failure.ts'
import { byPool } from './failure.ts'
import type { Overridden } from './overridden.ts'
import { overriddenText } from './overridden.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'

/** What is to be told of an object. */
export interface Verdict {
  readonly failures: readonly Failure[]
  readonly waits: readonly Wait[]
  /** What it sets and nobody reads. */
  readonly idle: readonly string[]
  readonly overridden: readonly Overridden[]
}

export type ToldKind<T extends NodeSettings> = Pick<
  SettingsKind<T, unknown>,
  'resource' | 'tellsAccepted'
>

/** As long as something is waited for, only failures are a verdict: nobody shall take the rest for the whole. */
export function isOpen({ failures, waits }: Verdict): boolean {
  return waits.length > 0 && failures.length === 0
}

const { accepted, success, failure } = nodeSettingsConditions
/** How many verdicts a KubeletConfig shows, the newest last. */
const window = 3

/**
 * The conditions after a verdict: remarks, then the last verdicts where the kind tells them, then one of `Success` and
 * `Failure`, by which render knows whether to go on. What is told already stays as it is.
 */
export function conditionsAfter(
  before: readonly Condition[],
  verdict: Verdict,
  { resource, tellsAccepted }: ToldKind<NodeSettings>,
  now: string,
): Condition[] {
  const remarks = remarksOf(verdict, resource.kind)
  const remarked = remarks.flatMap((remark) => remarkedIn(before, remark, now))
  if (isOpen(verdict)) {
    return [...remarked, ...before.filter((one) => !remarks.some(({ type }) => type === one.type))]
  }
  const { reason, message, holds } = wordsFor(verdict)
  const said = (type: string): Condition[] => before.filter((one) => one.type === type)
  const told = (report: ConditionReport, old: Condition | undefined): Condition =>
    old && saysTheSame(old, report) ? old : { ...report, lastTransitionTime: now }
  const judged = said(accepted)
  const news = told(
    { type: accepted, status: holds ? 'True' : 'False', reason, message },
    judged.at(-1),
  )
  const type = holds ? success : failure
  return [
    ...remarked,
    ...(tellsAccepted
      ? [...(news === judged.at(-1) ? judged : [...judged, news])].slice(-window)
      : []),
    told({ type, status: 'True', reason, message }, said(type).at(-1)),
  ]
}

/** Something worth an event. */
export interface News {
  readonly isFailure: boolean
  readonly reason: string
  readonly message: string
}

/** What the conditions of an object do not say yet. */
export function newsIn({ status }: Readonly<NodeSettings>, verdict: Verdict, kind: string): News[] {
  const { conditions = [] } = status ?? {}
  const { message, holds } = wordsFor(verdict)
  const last = conditions.at(-1)
  const isNew = !holds && (last?.type !== failure || last.message !== message)
  const remarks = remarksOf(verdict, kind).filter((remark) => {
    const old = conditionOf(conditions, remark.type)
    return remark.message !== '' && (old?.status !== 'True' || old.message !== remark.message)
  })
  return [
    ...(isNew ? [{ isFailure: true, reason: settingsEvents.settingsFailed, message }] : []),
    ...remarks.flatMap(({ event, message: text }) =>
      event === undefined ? [] : { isFailure: false, reason: event, message: text },
    ),
  ]
}

function wordsFor({ failures }: Verdict): { reason: string; message: string; holds: boolean } {
  const [first] = failures
  if (!first) return { reason: nodeSettingsReasons.success, message: 'Success', holds: true }
  const message = `Error: ${byPool(failures)}`.slice(0, longestMessage)
  return { reason: first.reason, message, holds: false }
}

/** What is told beside the verdict. */
interface Remark {
  readonly type: string
  readonly reason: string
  /** Empty where there is nothing to say. */
  readonly message: string
  readonly event?: string
}

function remarksOf(verdict: Verdict, kind: string): Remark[] {
  const { waiting, noEffect, overridden } = ownNodeSettingsConditions
  const reasons = nodeSettingsReasons
  const events = settingsEvents
  const idle = verdict.idle.join('; ')
  const remarks = [
    remark(waiting, reasons.templatesNotDone, waitsText(verdict)),
    remark(noEffect, reasons.noEffect, idle, events.fieldsWithoutEffect),
  ]
  if (isOpen(verdict)) return remarks
  const lost = overriddenText(kind, verdict.overridden)
  return [...remarks, remark(overridden, reasons.overridden, lost, events.fieldsOverridden)]
}

function remark(type: string, reason: string, text: string, event?: string): Remark {
  return {
    type,
    reason,
    message: text.slice(0, longestMessage),
    ...(event !== undefined && { event }),
  }
}

/** Where a pool has what the object says now, there is nothing to worry about. */
const waitsText = ({ waits }: Verdict): string => byPool(waits.filter(({ isMade }) => !isMade))

/** Told once it ever held, so that those who are not concerned see nothing of it. */
function remarkedIn(
  before: readonly Condition[],
  { type, reason, message }: Remark,
  now: string,
): Condition[] {
  const old = conditionOf(before, type)
  const holds = message !== ''
  if (!holds && !old) return []
  const report: ConditionReport = {
    type,
    status: holds ? 'True' : 'False',
    reason: holds ? reason : nodeSettingsReasons.asExpected,
    message,
  }
  return [...setCondition(old ? [old] : [], report, now)]
}

function saysTheSame(old: Condition, report: ConditionReport): boolean {
  return (
    old.status === report.status &&
    (old.reason ?? '') === report.reason &&
    (old.message ?? '') === report.message
  )
}
