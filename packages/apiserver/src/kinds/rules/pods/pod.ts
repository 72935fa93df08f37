import type { StatusCause } from '../../../status/status-error.ts'
import { invalidValue } from '../../../status/causes.ts'
import type { ApiObject, KindRules } from '../../kind-rules.ts'
import type { Fields } from '../../fields.ts'
import { fill, items, specOf, statusOf, textOf } from '../../fields.ts'
import { podChangeProblems } from './pod-change.ts'
import { imageProblems, podSpecProblems } from './pod-checks.ts'

export const podRules: KindRules = {
  returnsDeleted: true,
  prepareForCreate(pod) {
    pod['status'] = { phase: 'Pending', qosClass: qualityOf(pod) }
    const spec = specOf(pod)
    fill(spec, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' })
    tolerateShortOutages(spec)
  },
  prepareForUpdate(pod, _before, { subresource }) {
    if (subresource === undefined) tolerateShortOutages(specOf(pod))
  },
  complete(pod) {
    const spec = specOf(pod)
    completePodSpec(spec)
    fill(spec, { enableServiceLinks: true })
    fill(statusOf(pod), { phase: 'Pending' })
  },
  validate(pod, before, { subresource }) {
    if (subresource === 'status') return statusProblems(pod, before)
    if (subresource !== undefined) return []
    const spec = specOf(pod)
    return [
      ...podSpecProblems(spec, 'spec'),
      ...imageProblems(spec),
      ...(before ? podChangeProblems(spec, specOf(before)) : []),
    ]
  },
  /** A pod without a node, or a finished one, needs no grace period. */
  grace(pod, requested) {
    const spec = specOf(pod)
    const phase = statusOf(pod)['phase']
    if (!spec['nodeName'] || phase === 'Succeeded' || phase === 'Failed') return 0
    const usual = spec['terminationGracePeriodSeconds']
    return requested ?? (typeof usual === 'number' ? usual : 30)
  },
}

function statusProblems(pod: ApiObject, before: ApiObject | undefined): StatusCause[] {
  const [now, old] = [pod, before ?? pod].map((each) => textOf(statusOf(each)['qosClass']))
  return now === old ? [] : [invalidValue('status.qosClass', now, 'field is immutable')]
}

/** Defaults of a pod spec or pod template. */
export function completePodSpec(spec: Fields): void {
  for (const list of ['initContainers', 'containers']) {
    for (const container of items(spec[list])) completeContainer(container, spec['hostNetwork'])
  }
  for (const volume of items(spec['volumes'])) {
    if (Object.keys(volume).every((field) => field === 'name')) volume['emptyDir'] = {}
  }
  if (typeof spec['serviceAccountName'] === 'string') {
    spec['serviceAccount'] = spec['serviceAccountName']
  }
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  })
}

function completeContainer(container: Fields, onHost: unknown): void {
  const image = typeof container['image'] === 'string' ? container['image'] : ''
  fill(container, {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isMoving(image) ? 'Always' : 'IfNotPresent',
  })
  for (const port of items(container['ports'])) {
    fill(port, { protocol: 'TCP' })
    if (onHost === true && !port['hostPort']) port['hostPort'] = port['containerPort']
  }
}

/** No tag means `latest`; a digest is fixed. */
function isMoving(image: string): boolean {
  if (image.includes('@')) return false
  const [, ...parts] = image.slice(image.lastIndexOf('/') + 1).split(':')
  const tag = parts.join(':')
  return tag === '' || tag === 'latest'
}

function tolerateShortOutages(spec: Fields): void {
  const present = items(spec['tolerations'])
  const missing = ['not-ready', 'unreachable']
    .map((state) => `node.kubernetes.io/${state}`)
    .filter((key) => !present.some((toleration) => covers(toleration, key)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
  if (missing.length > 0) spec['tolerations'] = [...present, ...missing]
}

const covers = (toleration: Fields, key: string): boolean =>
  (toleration['key'] === key || (!toleration['key'] && toleration['operator'] === 'Exists')) &&
  (!toleration['effect'] || toleration['effect'] === 'NoExecute')

function qualityOf(pod: ApiObject): string {
  const amounts = items(specOf(pod)['containers']).map(
    (container) => (container['resources'] ?? {}) as { requests?: Fields; limits?: Fields },
  )
  const requested = amounts.some(({ requests, limits }) => hasAny(requests) || hasAny(limits))
  if (!requested) return 'BestEffort'
  const fixed = amounts.every(
    ({ requests, limits }) =>
      limits?.['cpu'] !== undefined &&
      limits['memory'] !== undefined &&
      (requests?.['cpu'] ?? limits['cpu']) === limits['cpu'] &&
      (requests?.['memory'] ?? limits['memory']) === limits['memory'],
  )
  return fixed ? 'Guaranteed' : 'Burstable'
}

const hasAny = (amounts: Fields | undefined): boolean => Object.keys(amounts ?? {}).length > 0
