import type { Api } from './api.ts'
import { pod } from './objects.ts'

/** A pod as it would look when it runs: nothing here runs pods. */
export async function running(
  api: Api,
  namespace: string,
  name: string,
  app: string,
  nodeName = 'somewhere',
): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`
  await api.post(path, pod(name, { app }, { nodeName }))
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  await api.patch(`${path}/${name}/status`, 'merge', { status })
}

/**
 * A budget as the disruption controller leaves it. Say what is true of the pods: one server is told so here, because
 * nothing counts its pods; another may count them itself.
 */
export async function budget(
  api: Api,
  namespace: string,
  name: string,
  disruptionsAllowed: number,
): Promise<void> {
  const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`
  const spec = { minAvailable: 1, selector: { matchLabels: { app: name } } }
  await api.post(path, { metadata: { name }, spec })
  await allow(api, namespace, name, disruptionsAllowed)
}

export async function allow(
  api: Api,
  namespace: string,
  name: string,
  disruptionsAllowed: number,
): Promise<void> {
  const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${name}/status`
  const status = {
    observedGeneration: 1,
    disruptionsAllowed,
    currentHealthy: 1 + disruptionsAllowed,
    desiredHealthy: 1,
    expectedPods: 1 + disruptionsAllowed,
  }
  await api.patch(path, 'merge', { status })
}
