import { sameJson } from '@machinist/core/json'
import type { Cause } from '../../refusal.ts'
import { forbidden, invalidValue } from '../../schema/causes.ts'
import type { Fields } from './fields.ts'
import { items } from './fields.ts'

const containerLists = ['containers', 'initContainers']

/** A pod is what it is: another image, less time and more tolerations are all that may become of it. */
export function podChangeProblems(spec: Fields, before: Fields): Cause[] {
  const resized = containerLists.find(
    (list) => items(spec[list]).length !== items(before[list]).length,
  )
  if (resized !== undefined) {
    return [forbidden(`spec.${resized}`, 'pod updates may not add or remove containers')]
  }
  const deadline = deadlineProblems(spec['activeDeadlineSeconds'], before['activeDeadlineSeconds'])
  const tolerations = keepsTolerations(spec, before)
    ? []
    : [forbidden('spec.tolerations', fixedToleration)]
  return [...deadline, ...tolerations, ...otherChanges(spec, before)]
}

const fixedToleration = 'existing toleration can not be modified except its tolerationSeconds'

function deadlineProblems(now: unknown, before: unknown): Cause[] {
  const field = 'spec.activeDeadlineSeconds'
  if (typeof before !== 'number') return []
  if (typeof now !== 'number') {
    return [invalidValue(field, null, 'must not update from a positive integer to nil value')]
  }
  if (now <= before) return []
  return [invalidValue(field, now, 'must be less than or equal to previous value')]
}

function keepsTolerations(spec: Fields, before: Fields): boolean {
  const timeless = (toleration: Fields): Fields => ({ ...toleration, tolerationSeconds: undefined })
  const now = items(spec['tolerations']).map(timeless)
  return items(before['tolerations'])
    .map(timeless)
    .every((old) => now.some((each) => sameJson(each, old)))
}

const changeable =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only ' +
  'additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was ' +
  'previously negative)'

/** What else differs is shown; kube-apiserver does so in the words of its own data. */
function otherChanges(spec: Fields, before: Fields): Cause[] {
  const [now, old] = [withoutChangeable(spec, before), withoutChangeable(before, before)]
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  const changed = fields.filter((field) => !sameJson(now[field], old[field]))
  if (changed.length === 0) return []
  const shown = changed.flatMap((field) => [
    `- \t${field}: ${JSON.stringify(old[field]) ?? 'nil'},`,
    `+ \t${field}: ${JSON.stringify(now[field]) ?? 'nil'},`,
  ])
  const difference = ['  core.PodSpec{', ...shown, '  }', ''].join('\n')
  const why = `pod updates may not change fields other than ${changeable}\n${difference}`
  return [forbidden('spec', why)]
}

function withoutChangeable(spec: Fields, before: Fields): Fields {
  const { activeDeadlineSeconds: _, tolerations: _kept, schedulingGates: _gates, ...rest } = spec
  for (const list of containerLists) {
    if (rest[list] !== undefined) {
      rest[list] = items(rest[list]).map(({ image: _image, ...container }) => container)
    }
  }
  const [grace, had] = [
    rest['terminationGracePeriodSeconds'],
    before['terminationGracePeriodSeconds'],
  ]
  if (grace === 1 && typeof had === 'number' && had < 0) rest['terminationGracePeriodSeconds'] = had
  return rest
}
