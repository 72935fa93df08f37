import type { Request } from './sequence.ts'

/* Short constructors for requests and objects. */

type Extra = Partial<Omit<Request, 'verb' | 'body'>>

export const create = (manager: string, body: unknown): Request => ({
  verb: 'create',
  manager,
  body,
})

export const apply = (manager: string, body: unknown, extra: Extra = {}): Request => ({
  verb: 'apply',
  manager,
  body,
  ...extra,
})

export const merge = (manager: string, body: unknown, extra: Extra = {}): Request => ({
  verb: 'merge',
  manager,
  body,
  ...extra,
})

export const strategic = (body: unknown, extra: Extra = {}): Request => ({
  verb: 'strategic',
  manager: 'kubectl',
  body,
  ...extra,
})

export const json = (body: unknown, extra: Extra = {}): Request => ({
  verb: 'json',
  manager: 'kubectl-patch',
  body,
  ...extra,
})

/** The body is merged into the current object and sent as a whole. */
export const update = (manager: string, body: unknown, extra: Extra = {}): Request => ({
  verb: 'update',
  manager,
  body,
  ...extra,
})

export const force = { force: true }

export const status = { subresource: 'status' } as const

export const labels = (of: Record<string, string | null>): unknown => ({ metadata: { labels: of } })

export const data = (of: Record<string, string | null>): unknown => ({ data: of })

export const container = (name: string, more: object = {}): object => ({
  name,
  image: `${name}:1`,
  ...more,
})

const template = (containers: unknown, more: object = {}, metadata: object = {}): object => ({
  metadata: { labels: { app: 'x' }, ...metadata },
  spec: { containers, ...more },
})

export const deployment = (containers: unknown, more: object = {}, spec: object = {}): object => ({
  spec: { selector: { matchLabels: { app: 'x' } }, template: template(containers, more), ...spec },
})

export const complete = {
  imagePullPolicy: 'Always',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
}

export const twice = [
  { name: 'X', value: '1' },
  { name: 'X', value: '2' },
]

export const ignition = (...paths: string[]): object => ({
  spec: {
    config: { ignition: { version: '3.4.0' }, storage: { files: paths.map((path) => ({ path })) } },
  },
})

export function finalizers(letters: string): object {
  return { metadata: { finalizers: letters.split('').map((letter) => `x.io/${letter}`) } }
}

export function owner(digit: string): object {
  const uid = `${digit.repeat(8)}-0000-4000-8000-000000000000`
  return { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${digit}`, uid }
}

export function taint(key: string): object {
  return { key, effect: 'NoSchedule' }
}

export function condition(type: string, value: string): object {
  const times = {
    lastTransitionTime: '2020-01-01T00:00:00Z',
    lastHeartbeatTime: '2020-01-01T00:00:00Z',
  }
  return { type, status: value, reason: 'R', message: 'm', ...times }
}

export function podCondition(type: string, value: string): object {
  const times = {
    lastTransitionTime: '2020-01-01T00:00:00Z',
    lastProbeTime: '2020-01-01T00:00:00Z',
  }
  return { type, status: value, reason: 'R', message: 'm', ...times }
}

export function deployed(type: string, value: string): object {
  const times = {
    lastTransitionTime: '2020-01-01T00:00:00Z',
    lastUpdateTime: '2020-01-01T00:00:00Z',
  }
  return { type, status: value, reason: 'R', message: 'm', ...times }
}

export function poolCondition(type: string, value: string): object {
  return {
    type,
    status: value,
    reason: 'R',
    message: 'm',
    lastTransitionTime: '2020-01-01T00:00:00Z',
  }
}

export function inTemplate(containers: unknown): object {
  return { spec: { template: { spec: { containers } } } }
}

export function lastApplied(values: Record<string, string>): object {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: values }
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(config) }
  return { metadata: { annotations }, data: values }
}
