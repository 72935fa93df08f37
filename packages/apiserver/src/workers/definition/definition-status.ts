import type { Condition } from '@machinist/core/objects/resource'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { conditionsOf } from '../../kinds/rules/custom-resource-definition.ts'
import { statusOf } from '../../kinds/fields.ts'
import type { NameAcceptance } from './accepted-names.ts'

/** Sets acceptedNames and conditions; the CRD is established once all its names are accepted. */
export function withAcceptance(
  definition: ApiObject,
  { names, conflict }: NameAcceptance,
  now: string,
): ApiObject {
  const accepted = condition(
    'NamesAccepted',
    conflict ? 'False' : 'True',
    conflict?.reason ?? 'NoConflicts',
    conflict?.message ?? 'no conflicts found',
  )
  const established = isEstablished(definition)
    ? undefined
    : conflict
      ? condition('Established', 'False', 'NotAccepted', 'not all names are accepted')
      : condition(
          'Established',
          'True',
          'InitialNamesAccepted',
          'the initial names have been accepted',
        )
  const conditions = [accepted, ...(established ? [established] : [])]
  return withStatus(definition, conditions, now, { acceptedNames: names })
}

/** Sets the condition Terminating while objects are deleted. */
export function withDeletionInProgress(definition: ApiObject, now: string): ApiObject {
  const terminating = condition(
    'Terminating',
    'True',
    'InstanceDeletionInProgress',
    'CustomResource deletion is in progress',
  )
  return withStatus(definition, [terminating], now)
}

/** Once established, a CRD stays established, even after a name conflict. */
export const isEstablished = (definition: ApiObject): boolean =>
  conditionsOf(definition).some(({ type, status }) => type === 'Established' && status === 'True')

type Fresh = Omit<Condition, 'lastTransitionTime'>

const condition = (
  type: string,
  status: Condition['status'],
  reason: string,
  message: string,
): Fresh => ({ type, status, reason, message })

function withStatus(
  definition: ApiObject,
  fresh: readonly Fresh[],
  now: string,
  fields: object = {},
): ApiObject {
  const conditions = fresh.reduce((all, each) => replaced(all, each, now), conditionsOf(definition))
  return { ...definition, status: { ...statusOf(definition), conditions, ...fields } }
}

/** Replaces a condition in place; its time changes only with its status. */
function replaced(
  conditions: Condition[],
  { type, status, reason, message }: Fresh,
  now: string,
): Condition[] {
  const before = conditions.find((each) => each.type === type)
  const since = before?.status === status ? before.lastTransitionTime : now
  const next: Condition = { type, status, lastTransitionTime: since, reason, message }
  return before ? conditions.map((each) => (each === before ? next : each)) : [...conditions, next]
}
