import { sameJson } from '@machinist/core/encoding/json'
import type { StatusCause } from '../../../status/status-error.ts'
import { forbidden, invalidValue, requiredValue, unsupportedValue } from '../../../status/causes.ts'
import { labelProblems } from '../../../objects/names.ts'
import type { ApiObject } from '../../kind-rules.ts'
import type { Fields } from '../../fields.ts'
import { membersOf, specOf } from '../../fields.ts'
import { podSpecProblems } from '../pods/pod-checks.ts'
import {
  invalidText,
  isEmptySelector,
  labelsText,
  selectorProblems,
  selects,
  selectorText,
} from '../../../objects/selector-checks.ts'

export function deploymentProblems(after: ApiObject, before: ApiObject | undefined): StatusCause[] {
  const spec = specOf(after)
  return [
    ...nonNegative(spec, 'replicas'),
    ...ownedPods(spec, 'deployment', 'ReplicaSet'),
    ...strategyProblems(membersOf(spec['strategy'])),
    ...nonNegative(spec, 'minReadySeconds'),
    ...nonNegative(spec, 'revisionHistoryLimit'),
    ...deadlineProblems(spec),
    ...fixedSelector(spec, before),
  ]
}

export function replicaSetProblems(after: ApiObject, before: ApiObject | undefined): StatusCause[] {
  const spec = specOf(after)
  return [
    ...nonNegative(spec, 'replicas'),
    ...nonNegative(spec, 'minReadySeconds'),
    ...ownedPods(spec, 'deployment', 'ReplicaSet'),
    ...fixedSelector(spec, before),
  ]
}

export function daemonSetProblems(after: ApiObject, before: ApiObject | undefined): StatusCause[] {
  const spec = specOf(after)
  return [
    ...ownedPods(spec, 'daemonset', 'DaemonSet'),
    ...nonNegative(spec, 'minReadySeconds'),
    ...updateStrategyProblems(membersOf(spec['updateStrategy'])),
    ...nonNegative(spec, 'revisionHistoryLimit'),
    ...fixedSelector(spec, before),
  ]
}

/** The selector and the template labels that must match it. */
function ownedPods(spec: Fields, kind: string, owner: string): StatusCause[] {
  const { selector } = spec
  const template = membersOf(spec['template'])
  const labels = membersOf(membersOf(template['metadata'])['labels'])
  // DaemonSets do not report a missing selector.
  const missing =
    selector === undefined && kind === 'deployment' ? [requiredValue('spec.selector')] : []
  const wrong = selectorProblems(selector, 'spec.selector')
  const text = selectorText(membersOf(selector))
  if (wrong.length > 0) {
    return [...missing, ...wrong, invalidText('spec.selector', text, 'invalid label selector')]
  }
  const empty = selector !== undefined && isEmptySelector(membersOf(selector))
  const field = 'spec.template.metadata.labels'
  const apart = '`selector` does not match template `labels`'
  return [
    ...missing,
    ...(empty ? [invalidText('spec.selector', text, `empty selector is invalid for ${kind}`)] : []),
    ...(selects(selector, labels) ? [] : [invalidText(field, labelsText(labels), apart)]),
    ...labelProblems(field, labels),
    ...templateProblems(membersOf(template['spec']), owner),
  ]
}

function templateProblems(pods: Fields, owner: string): StatusCause[] {
  const at = 'spec.template.spec'
  const policy = pods['restartPolicy']
  return [
    ...podSpecProblems(pods, at),
    ...(policy === 'Always' ? [] : [unsupportedValue(`${at}.restartPolicy`, policy, ['Always'])]),
    ...(pods['activeDeadlineSeconds'] === undefined
      ? []
      : [
          forbidden(
            `${at}.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${owner} is not Supported`,
          ),
        ]),
  ]
}

/** The selector is immutable: existing pods would be orphaned. */
function fixedSelector(spec: Fields, before: ApiObject | undefined): StatusCause[] {
  if (!before || sameJson(spec['selector'], specOf(before)['selector'])) return []
  const text = selectorText(membersOf(spec['selector']))
  return [invalidText('spec.selector', text, 'field is immutable')]
}

function strategyProblems(strategy: Fields): StatusCause[] {
  const { type } = strategy
  if (type !== 'Recreate') return []
  const why = "may not be specified when strategy `type` is 'Recreate'"
  return strategy['rollingUpdate'] ? [forbidden('spec.strategy.rollingUpdate', why)] : []
}

function updateStrategyProblems({ type, rollingUpdate }: Fields): StatusCause[] {
  const { maxUnavailable, maxSurge } = membersOf(rollingUpdate)
  if (type !== 'RollingUpdate' || !isNone(maxUnavailable) || !isNone(maxSurge)) return []
  const field = 'spec.updateStrategy.rollingUpdate.maxUnavailable'
  return [requiredValue(field, 'cannot be 0 when maxSurge is 0')]
}

const isNone = (amount: unknown): boolean => amount === 0 || amount === '0%'

function deadlineProblems(spec: Fields): StatusCause[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready = 0 } = spec
  if (typeof deadline !== 'number' || deadline > Number(ready))
    return nonNegative(spec, 'progressDeadlineSeconds')
  const field = 'spec.progressDeadlineSeconds'
  return [
    ...nonNegative(spec, 'progressDeadlineSeconds'),
    invalidValue(field, deadline, 'must be greater than minReadySeconds'),
  ]
}

function nonNegative(spec: Fields, field: string): StatusCause[] {
  const value = spec[field]
  if (typeof value !== 'number' || value >= 0) return []
  return [invalidValue(`spec.${field}`, value, 'must be greater than or equal to 0')]
}
