import { until } from '@machinist/testing/until'
import type { Answer } from './api.ts'
import type { Stage } from './conformance.ts'

const root = '/apis/admissionregistration.k8s.io/v1'
export const policies = `${root}/validatingadmissionpolicies`
export const bindings = `${root}/validatingadmissionpolicybindings`

/** Rules for resources; default: all operations. */
export function rules(resources: readonly string[], more: object = {}): object {
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources, ...more }
  return { resourceRules: [rule] }
}

/** Restricts a policy to the namespace of the case: other cases use the same server. */
export function here({ namespace }: Stage): object {
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }
}

export interface Enforced {
  readonly name: string
  /** The prefix of a denial, with its message. */
  readonly denied: (text: string) => string
}

/** Creates a policy and its binding, and waits until they are in force. */
export async function enforce(
  stage: Stage,
  spec: object,
  binding: object = {},
  name = `${stage.unique}-policy`,
): Promise<Enforced> {
  await write(stage, name, spec, binding)
  await heeded(stage)
  const denied = (text: string): string =>
    `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: ${text}`
  return { name, denied }
}

export async function write(
  { api }: Stage,
  name: string,
  spec: object,
  binding: object,
): Promise<void> {
  const made = [
    await api.post(policies, { metadata: { name }, spec }),
    await api.post(bindings, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], ...binding },
    }),
  ]
  const rejected = made.find(({ code }) => code !== 201)
  if (rejected) throw new Error(`no policy: ${rejected.text}`)
}

let watchmen = 0

/** Earlier policies are in force once a later one is: servers load all of them together. */
export async function heeded(stage: Stage): Promise<void> {
  const name = `${stage.unique}-watchman-${watchmen++}`
  const matchConstraints = { ...rules(['leases'], { resourceNames: [name] }), ...here(stage) }
  await write(stage, name, { matchConstraints, validations: [{ expression: 'false' }] }, {})
  // No other case uses Leases, so that only this policy can deny one.
  const path = `/apis/coordination.k8s.io/v1/namespaces/${stage.namespace}/leases?dryRun=All`
  await until('policies are heeded', async () => {
    const { code } = await stage.api.post(path, { metadata: { name } })
    return code === 422
  })
}

/** The message of a denial without its prefix; the whole body if the request was not denied. */
export function reasonOf({ name }: Enforced, { body, text }: Answer): string {
  const begin = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: `
  const [, reported] = String(body['message']).split(begin)
  return reported ?? text
}

/** All fields of `request` in one line. */
export const requestLine = `[
  request.operation,
  has(request.name) ? request.name : '-',
  has(request.namespace) ? 'inside' : 'outside',
  request.kind.group + '/' + request.kind.version + '/' + request.kind.kind,
  request.resource.group + '/' + request.resource.version + '/' + request.resource.resource,
  has(request.subResource) ? request.subResource : '-',
  request.dryRun ? 'dry' : 'wet',
  string(request.options.kind),
  object == null ? 'null' : string(object.kind),
  oldObject == null ? 'null' : string(oldObject.kind),
].join(' ')`.replaceAll(/\s*\n\s*/g, ' ')
