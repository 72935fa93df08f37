import { isObject } from '@machinist/core/encoding/json'
import { timestamp } from '@machinist/core/timestamp'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { items, specOf, statusOf, textOf } from '../kinds/fields.ts'
import { badRequest, conflict, StatusError } from '../status/status-error.ts'
import { requiredValue, unsupportedValue } from '../status/causes.ts'
import type { NamedTarget } from './update.ts'
import { update } from './update.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'

/** Binds a pod to a Node, once per pod, as schedulers do. */
export async function bind(
  context: VerbContext,
  target: NamedTarget,
  binding: ApiObject,
  options: WriteOptions,
): Promise<void> {
  if (binding.metadata.name !== target.name) {
    throw badRequest('name in URL does not match name in Binding object')
  }
  const node = nodeOf(binding)
  const { annotations, uid, resourceVersion } = binding.metadata
  const change = (pod: ApiObject): ApiObject => {
    checkFree(target, pod)
    pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations }
    if (uid) pod.metadata.uid = uid
    if (resourceVersion) pod.metadata.resourceVersion = resourceVersion
    specOf(pod)['nodeName'] = node
    setScheduled(pod, timestamp(context.clock.now()))
    return pod
  }
  // Fields that a binding sets have no owner.
  await update(context, target, change, { ...options, whole: true, tracked: true })
}

function nodeOf(binding: ApiObject): string {
  const target = isObject(binding['target']) ? binding['target'] : {}
  const kind = textOf(target['kind'])
  const name = textOf(target['name'])
  const causes = [
    ...(kind === '' || kind === 'Node'
      ? []
      : [unsupportedValue('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [requiredValue('target.name')] : []),
  ]
  if (causes.length === 0) return name
  const messages = causes.map(({ field, message }) => `${field}: ${message}`)
  // A plain error in kube-apiserver, therefore status 500.
  throw new StatusError(500, '', messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`)
}

function checkFree({ name }: NamedTarget, pod: ApiObject): void {
  const { nodeName, schedulingGates } = specOf(pod)
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw notBound(name, `pod ${name} is being deleted, cannot be assigned to a host`)
  }
  if (textOf(nodeName) !== '') {
    throw notBound(
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(textOf(nodeName))}`,
    )
  }
  if (items(schedulingGates).length > 0) {
    throw notBound(name, `pod ${name} has non-empty .spec.schedulingGates`)
  }
}

const notBound = (name: string, why: string): StatusError =>
  conflict({ group: '', resource: 'pods/binding', kind: 'Pod', name }, why)

function setScheduled(pod: ApiObject, now: string): void {
  const status = statusOf(pod)
  const others = items(status['conditions']).filter(({ type }) => type !== 'PodScheduled')
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
  }
  status['conditions'] = [...others, scheduled]
}
