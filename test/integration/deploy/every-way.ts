import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { clusterRoleBindings } from '@machinist/kube/kinds/rbac'
import type { Request } from '@machinist/kube/transport'
import { until } from '@machinist/testing/until'
import { requestsOf } from './deed.ts'
import { transportAs } from './identities.ts'
import { manifestsIn } from './manifests.ts'
import type { Recorded } from './recorded.ts'
import type { Stage } from './stage.ts'
import { isLet } from './superfluous.ts'

type Way = (path: string) => Request

/** What can be asked for. Nothing is there that anybody would notice. */
const list: Way = (path) => ({ method: 'GET', path })
const ways: readonly Way[] = [
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

/** Somebody who has this role and no other asks for all that can be asked for about our kinds. */
export async function everyWay(stage: Stage, user: string, role: string): Promise<Recorded[]> {
  await stage.client.create(clusterRoleBindings, {
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  })
  const transport = transportAs(stage, `person ${user}`)
  const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools'
  await until('the role counts', () => isLet(() => transport.request(list(pools))))
  const before = requestsOf(stage, user).length
  const paths = manifestsIn('crds').map((definition) => {
    const { group, names, versions } = (definition as unknown as CustomResourceDefinition).spec
    return `/apis/${group}/${versions[0]!.name}/${names.plural}`
  })
  const asked = paths.flatMap((path) => ways.map((way) => transport.request(way(path))))
  await Promise.allSettled(asked)
  transport.close()
  return requestsOf(stage, user).slice(before)
}
