import { sameJson } from '@machinist/core/json'
import type { Cause } from '../../refusal.ts'
import { forbidden, invalidValue, requiredValue, unsupportedValue } from '../../schema/causes.ts'
import { labelProblems } from '../../verbs/names.ts'
import type { ApiObject } from '../kind-rules.ts'
import type { Fields } from './fields.ts'
import { membersOf, specOf } from './fields.ts'
import { podSpecProblems } from './pod-checks.ts'
import {
  invalidText,
  isEmptySelector,
  labelsText,
  selectorProblems,
  selects,
  selectorText,
} from './selector-checks.ts'

export function deploymentProblems(after: ApiObject, before: ApiObject | undefined): Cause[] {
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

export function replicaSetProblems(after: ApiObject, before: ApiObject | undefined): Cause[] {
  const spec = specOf(after)
  return [
    ...nonNegative(spec, 'replicas'),
    ...nonNegative(spec, 'minReadySeconds'),
    ...ownedPods(spec, 'deployment', 'ReplicaSet'),
    ...fixedSelector(spec, before),
  ]
}

export function daemonSetProblems(after: ApiObject, before: ApiObject | undefined): Cause[] {
  const spec = specOf(after)
  return [
    ...ownedPods(spec, 'daemonset', 'DaemonSet'),
    ...nonNegative(spec, 'minReadySeconds'),
    ...updateStrategyProblems(membersOf(spec['updateStrategy'])),
    ...nonNegative(spec, 'revisionHistoryLimit'),
    ...fixedSelector(spec, before),
  ]
}

/** The selector and the template that must fit it. */
function ownedPods(spec: Fields, kind: string, owner: string): Cause[] {
  const { selector } = spec
  const template = membersOf(spec['template'])
  const labels = membersOf(membersOf(template['metadata'])['labels'])
  // Only daemon sets do not say that theirs is missing.
  const missing =
    selector === undefined && kind === 'deployment' ? [requiredValue('spec.selector')] : []
  const wrong = selectorProblems(selector, 'spec.selector')
  const shown = selectorText(membersOf(selector))
  if (wrong.length > 0) {
    return [...missing, ...wrong, invalidText('spec.selector', shown, 'invalid label selector')]
  }
  const empty = selector !== undefined && isEmptySelector(membersOf(selector))
  const field = 'spec.template.metadata.labels'
  const apart = '`selector` does not match template `labels`'
  return [
    ...missing,
    ...(empty
      ? [invalidText('spec.selector', shown, `empty selector is invalid for ${kind}`)]
      : []),
    ...(selects(selector, labels) ? [] : [invalidText(field, labelsText(labels), apart)]),
    ...labelProblems(field, labels),
    ...templateProblems(membersOf(template['spec']), owner),
  ]
}

function templateProblems(pods: Fields, owner: string): Cause[] {
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

/** Pods that are there already would be lost to another selector. */
function fixedSelector(spec: Fields, before: ApiObject | undefined): Cause[] {
  if (!before || sameJson(spec['selector'], specOf(before)['selector'])) return []
  const shown = selectorText(membersOf(spec['selector']))
  return [invalidText('spec.selector', shown, 'field is immutable')]
}

function strategyProblems(strategy: Fields): Cause[] {
  const { type } = strategy
  if (type !== 'Recreate') return []
  const why = "may not be specified when strategy `type` is 'Recreate'"
  return strategy['rollingUpdate'] ? [forbidden('spec.strategy.rollingUpdate', why)] : []
}

function updateStrategyProblems({ type, rollingUpdate }: Fields): Cause[] {
  const { maxUnavailable, maxSurge } = membersOf(rollingUpdate)
  if (type !== 'RollingUpdate' || !isNone(maxUnavailable) || !isNone(maxSurge)) return []
  const field = 'spec.updateStrategy.rollingUpdate.maxUnavailable'
  return [requiredValue(field, 'cannot be 0 when maxSurge is 0')]
}

const isNone = (amount: unknown): boolean => amount === 0 || amount === '0%'

function deadlineProblems(spec: Fields): Cause[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds: ready = 0 } = spec
  if (typeof deadline !== 'number' || deadline > Number(ready))
    return nonNegative(spec, 'progressDeadlineSeconds')
  const field = 'spec.progressDeadlineSeconds'
  return [
    ...nonNegative(spec, 'progressDeadlineSeconds'),
    invalidValue(field, deadline, 'must be greater than minReadySeconds'),
  ]
}

function nonNegative(spec: Fields, field: string): Cause[] {
  const value = spec[field]
  if (typeof value !== 'number' || value >= 0) return []
  return [invalidValue(`spec.${field}`, value, 'must be greater than or equal to 0')]
}
