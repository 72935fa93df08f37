import type { ConditionReport } from '../../api/conditions.ts'
import {
  conditionOf,
  nodeSettingsConditions,
  ownNodeSettingsConditions,
  setCondition,
} from '../../api/conditions.ts'
import { nodeSettingsReasons } from '../../api/reasons.ts'
import { sameJson } from '../../base/json.ts'
import type { Condition } from '../../base/resource.ts'
import { timestamp } from '../../base/timestamp.ts'
import type { KubeClient } from '../../kube/client.ts'
import { modify } from '../../kube/client-modify.ts'
import { ifThere } from '../../kube/failure.ts'
import type { Failure } from './failure.ts'
import { failuresText } from './failure.ts'
import type { Overridden } from './overridden.ts'
import { overriddenText } from './overridden.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'

/** What is to be told of an object. */
export interface Verdict {
  readonly failures: readonly Failure[]
  readonly overridden: readonly Overridden[]
}

type ToldKind<T extends NodeSettings> = Pick<SettingsKind<T, unknown>, 'resource' | 'tellsAccepted'>

const { accepted, success, failure } = nodeSettingsConditions
const { overridden } = ownNodeSettingsConditions
/** How many verdicts a KubeletConfig shows, the newest last. */
const window = 3
const longest = 8192

/**
 * The conditions after a verdict: what is overridden, then the last verdicts where the kind tells them, then one of
 * `Success` and `Failure`, by which render knows whether to go on. What is told already stays as it is.
 */
export function conditionsAfter(
  before: readonly Condition[],
  verdict: Verdict,
  { resource, tellsAccepted }: ToldKind<NodeSettings>,
  now: string,
): Condition[] {
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
    ...overriddenCondition(before, verdict, resource.kind, now),
    ...(tellsAccepted
      ? [...(news === judged.at(-1) ? judged : [...judged, news])].slice(-window)
      : []),
    told({ type, status: 'True', reason, message }, said(type).at(-1)),
  ]
}

export interface StatusOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
}

/** One write, and only if there is something to say. */
export async function showStatus<T extends NodeSettings>(
  object: Readonly<T>,
  verdict: Verdict,
  kind: ToldKind<T>,
  { client, signal }: StatusOptions,
): Promise<void> {
  const now = timestamp(client.clock.now())
  const statusAfter = ({ status }: Readonly<T>): T['status'] => ({
    ...status,
    ...(object.metadata.generation !== undefined && {
      observedGeneration: object.metadata.generation,
    }),
    conditions: conditionsAfter(status?.conditions ?? [], verdict, kind, now),
  })
  if (sameJson(statusAfter(object), object.status)) return
  const { name, uid } = object.metadata
  // What was made anew under the same name has not been looked at yet.
  const change = (current: T): T | undefined =>
    current.metadata.uid === uid ? { ...current, status: statusAfter(current) } : undefined
  await ifThere(modify(client, kind.resource, { name }, change, { subresource: 'status', signal }))
}

/** What the conditions of an object do not say yet: worth an event. */
export function newsIn(
  { status }: Readonly<NodeSettings>,
  verdict: Verdict,
  kind: string,
): { readonly failure?: string; readonly overridden?: string } {
  const { message, holds } = wordsFor(verdict)
  const told = status?.conditions?.at(-1)
  const isNew = !holds && (told?.type !== failure || told.message !== message)
  const text = overriddenText(kind, verdict.overridden).slice(0, longest)
  const before = conditionOf(status?.conditions, overridden)
  const isOverridden = text !== '' && (before?.status !== 'True' || before.message !== text)
  return { ...(isNew && { failure: message }), ...(isOverridden && { overridden: text }) }
}

function wordsFor({ failures }: Verdict): { reason: string; message: string; holds: boolean } {
  const [first] = failures
  if (!first) return { reason: nodeSettingsReasons.success, message: 'Success', holds: true }
  const message = `Error: ${failuresText(failures)}`.slice(0, longest)
  return { reason: first.reason, message, holds: false }
}

/** Told once it ever held, so that those who are not concerned see nothing of it. */
function overriddenCondition(
  before: readonly Condition[],
  verdict: Verdict,
  kind: string,
  now: string,
): Condition[] {
  const old = conditionOf(before, overridden)
  const message = overriddenText(kind, verdict.overridden).slice(0, longest)
  if (message === '' && !old) return []
  const holds = message !== ''
  const report: ConditionReport = {
    type: overridden,
    status: holds ? 'True' : 'False',
    reason: holds ? nodeSettingsReasons.overridden : nodeSettingsReasons.notOverridden,
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
