import { sameJson } from '@machinist/core/encoding/json'
import type { StatusCause } from '../../../status/status-error.ts'
import { forbidden, invalidValue } from '../../../status/causes.ts'
import type { Fields } from '../../fields.ts'
import { items } from '../../fields.ts'

const containerLists = ['containers', 'initContainers']

/** Allowed changes of a pod: image, shorter deadlines, added tolerations. */
export function podChangeProblems(spec: Fields, before: Fields): StatusCause[] {
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

function deadlineProblems(now: unknown, before: unknown): StatusCause[] {
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

/** kube-apiserver prints other changes as a diff of its own types. */
function otherChanges(spec: Fields, before: Fields): StatusCause[] {
  const [now, old] = [withoutChangeable(spec, before), withoutChangeable(before, before)]
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  const changed = fields.filter((field) => !sameJson(now[field], old[field]))
  if (changed.length === 0) return []
  const lines = changed.flatMap((field) => [
    `- \t${field}: ${JSON.stringify(old[field]) ?? 'nil'},`,
    `+ \t${field}: ${JSON.stringify(now[field]) ?? 'nil'},`,
  ])
  const difference = ['  core.PodSpec{', ...lines, '  }', ''].join('\n')
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
