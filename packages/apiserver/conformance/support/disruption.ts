import type { Api } from './api.ts'
import { pod } from './objects.ts'

/** The state of a running pod: nothing runs pods here. */
export interface Running {
  readonly nodeName?: string
  readonly ready?: boolean
}

/** A pod as it looks when it runs. */
export async function running(
  api: Api,
  namespace: string,
  name: string,
  app: string,
  { nodeName = 'somewhere', ready = true }: Running = {},
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`
  await api.post(path, pod(name, { app }, { nodeName }))
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }]
  await api.patch(`${path}/${name}/status`, 'merge', { status: { phase: 'Running', conditions } })
}

/** Counts of a disruption controller. */
export interface Counts {
  readonly allowed: number
  readonly healthy: number
  readonly desired: number
  readonly expected: number
}

/**
 * A budget for pods of the app with its name, with the status that a disruption controller sets. The counts must
 * match the pods: one server gets them from here, another counts them itself.
 */
export async function budget(
  api: Api,
  namespace: string,
  name: string,
  counts: Counts,
  spec: object = { minAvailable: 1 },
): Promise<void> {
  const selector = { matchLabels: { app: name } }
  const body = { metadata: { name }, spec: { selector, ...spec } }
  await api.post(budgetsPath(namespace), body)
  await counted(api, namespace, name, counts)
}

export async function counted(
  api: Api,
  namespace: string,
  name: string,
  { allowed, healthy, desired, expected }: Counts,
): Promise<void> {
  const status = {
    observedGeneration: 1,
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
  }
  await api.patch(`${budgetsPath(namespace)}/${name}/status`, 'merge', { status })
}

/** One of this many healthy pods must stay. */
export const oneOf = (pods: number): Counts => ({
  allowed: pods - 1,
  healthy: pods,
  desired: 1,
  expected: pods,
})

export const budgetsPath = (namespace: string): string =>
  `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`
