import { sameJson } from '@machinist/core/encoding/json'
import type { ApiObject, KindRules } from '../../kind-rules.ts'
import type { Fields } from '../../fields.ts'
import { fill, section, specOf, statusOf } from '../../fields.ts'
import { completePodSpec } from '../pods/pod.ts'
import { budgetProblems } from './budget-problems.ts'
import { daemonSetProblems, deploymentProblems, replicaSetProblems } from './workload-checks.ts'

export const deploymentRules: KindRules = {
  generation: true,
  complete(deployment) {
    const spec = completed(deployment)
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
    const strategy = section(spec, 'strategy')
    fill(strategy, { type: 'RollingUpdate' })
    if (strategy['type'] === 'RollingUpdate') {
      fill(section(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' })
    }
    statusOf(deployment)
  },
  validate: deploymentProblems,
}

export const daemonSetRules: KindRules = {
  generation: true,
  complete(daemonSet) {
    const { metadata } = daemonSet
    metadata.annotations = { [templateGeneration]: '1', ...metadata.annotations }
    const spec = completed(daemonSet)
    fill(spec, { revisionHistoryLimit: 10 })
    const strategy = section(spec, 'updateStrategy')
    fill(strategy, { type: 'RollingUpdate' })
    if (strategy['type'] === 'RollingUpdate') {
      fill(section(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 })
    }
    fill(statusOf(daemonSet), {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    })
  },
  prepareForUpdate: countTemplates,
  validate: daemonSetProblems,
}

export const replicaSetRules: KindRules = {
  generation: true,
  complete(replicaSet) {
    fill(completed(replicaSet), { replicas: 1 })
    fill(statusOf(replicaSet), { replicas: 0 })
  },
  validate: replicaSetProblems,
}

export const budgetRules: KindRules = {
  generation: true,
  requiresResourceVersion: true,
  complete(budget) {
    fill(statusOf(budget), {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    })
  },
  validate: (budget, _before, { subresource }) => budgetProblems(budget, subresource),
}

const templateGeneration = 'deprecated.daemonset.template.generation'

/** Counts changes of the template. */
function countTemplates(daemonSet: ApiObject, before: ApiObject): void {
  const old = before.metadata.annotations?.[templateGeneration] ?? '1'
  const changed = !sameJson(completed(daemonSet)['template'], specOf(before)['template'])
  daemonSet.metadata.annotations = {
    ...daemonSet.metadata.annotations,
    [templateGeneration]: changed ? String(Number(old) + 1) : old,
  }
}

function completed(owner: ApiObject): Fields {
  const spec = specOf(owner)
  const template = section(spec, 'template')
  section(template, 'metadata')['creationTimestamp'] ??= null
  completePodSpec(section(template, 'spec'))
  return spec
}
