import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { clusterRoleBindings } from '@machinist/kube/kinds/rbac'
import type { ApiRequest } from '@machinist/kube/transport/transport'
import { until } from '@machinist/testing/until'
import { requestsOf } from './scenario.ts'
import { transportAs } from './identities.ts'
import { manifestsIn } from './manifests.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { Stage } from './stage.ts'
import { isAllowedToRun } from './unneeded-permissions.ts'

type RequestKind = (path: string) => ApiRequest

/** Every kind of request. None has an effect: dry runs, and objects that do not exist. */
const list: RequestKind = (path) => ({ method: 'GET', path })
const requestKinds: readonly RequestKind[] = [
  list,
  (path) => ({ method: 'GET', path: `${path}/absent` }),
  (path) => ({ method: 'GET', path, query: { watch: true, timeoutSeconds: 1 } }),
  (path) => ({ method: 'POST', path, query: { dryRun: 'All' }, body: {} }),
  (path) => ({ method: 'PUT', path: `${path}/absent`, query: { dryRun: 'All' }, body: {} }),
  (path) => ({
    method: 'PATCH',
    path: `${path}/absent`,
    contentType: 'application/merge-patch+json',
    body: {},
  }),
  (path) => ({ method: 'DELETE', path: `${path}/absent` }),
  (path) => ({ method: 'DELETE', path, query: { labelSelector: 'is=absent' } }),
]

/** Sends every kind of request for each of Machinist's kinds as a user who has this role only. */
export async function sendEveryRequest(
  stage: Stage,
  user: string,
  role: string,
): Promise<RecordedRequest[]> {
  await stage.client.create(clusterRoleBindings, {
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  })
  const transport = transportAs(stage, `person ${user}`)
  const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools'
  await until('the role is in effect', () => isAllowedToRun(() => transport.request(list(pools))))
  const before = requestsOf(stage, user).length
  const paths = manifestsIn('crds').map((definition) => {
    const { group, names, versions } = (definition as unknown as CustomResourceDefinition).spec
    return `/apis/${group}/${versions[0]!.name}/${names.plural}`
  })
  const sent = paths.flatMap((path) => requestKinds.map((way) => transport.request(way(path))))
  await Promise.allSettled(sent)
  transport.close()
  return requestsOf(stage, user).slice(before)
}
