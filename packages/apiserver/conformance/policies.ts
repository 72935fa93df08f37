import { until } from '@machinist/testing/until'
import type { Answer } from './api.ts'
import type { Stage } from './conformance.ts'

const root = '/apis/admissionregistration.k8s.io/v1'
export const policies = `${root}/validatingadmissionpolicies`
export const bindings = `${root}/validatingadmissionpolicybindings`

/** Rules about resources, for all operations unless said otherwise. */
export function rules(resources: readonly string[], more: object = {}): object {
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources, ...more }
  return { resourceRules: [rule] }
}

/** Only in the namespace of the case: other cases live on the same server. */
export function here({ namespace }: Stage): object {
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }
}

export interface Enforced {
  readonly name: string
  /** How a denial begins, and what is said. */
  readonly denied: (text: string) => string
}

/** Makes a policy and its binding, and waits until the server heeds them. */
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
  const refused = made.find(({ code }) => code !== 201)
  if (refused) throw new Error(`no policy: ${refused.text}`)
}

let watchmen = 0

/** What was written before is heeded once a later policy is: servers take up all of them at once. */
export async function heeded(stage: Stage): Promise<void> {
  const name = `${stage.unique}-watchman-${watchmen++}`
  const matchConstraints = { ...rules(['leases'], { resourceNames: [name] }), ...here(stage) }
  await write(stage, name, { matchConstraints, validations: [{ expression: 'false' }] }, {})
  // No case is about leases, so that nothing but this policy can deny one.
  const path = `/apis/coordination.k8s.io/v1/namespaces/${stage.namespace}/leases?dryRun=All`
  await until('policies are heeded', async () => {
    const { code } = await stage.api.post(path, { metadata: { name } })
    return code === 422
  })
}

/** Why a request was denied, without what comes before it; the whole body where it was not. */
export function reasonOf({ name }: Enforced, { body, text }: Answer): string {
  const begin = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: `
  const [, said] = String(body['message']).split(begin)
  return said ?? text
}

/** One line with everything that a request says about itself. */
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
