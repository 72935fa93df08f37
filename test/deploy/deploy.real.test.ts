import { expect, it } from 'vitest'
import { describeOnRealCluster } from '../support/real-cluster.ts'
import { deployCases } from './cases.ts'
import { userOf } from './identities.ts'
import { accounts, manifestsIn, rolesOf } from './manifests.ts'
import type { Recorded } from './recorded.ts'
import { change, refusal } from './refused.ts'
import type { Stage } from './stage.ts'
import { startReal } from './start-real.ts'
import { superfluous } from './superfluous.ts'
import { components, requestsOf, wholeJobs } from './whole-jobs.ts'

describeOnRealCluster('deploy/ on a real API server', () => {
  deployCases(startReal, (stage) => {
    wholeJobs(stage)
    it('no component has a right that it does not need', async () => {
      const manifests = [...manifestsIn(''), ...manifestsIn('machine-api')]
      const found = components.map(async (part) => {
        const account = userOf(part).split(':').at(-1)!
        const requests = [...requestsOf(stage(), part), ...impliedBy(stage(), part)]
        return superfluous(stage().client, rolesOf(account, manifests), requests)
      })
      expect((await Promise.all(found)).flat()).toEqual([])
      expect(components.map((part) => userOf(part).split(':').at(-1)!).sort()).toEqual(
        [...accounts].sort(),
      )
    })

    it('a kubelet may not write another Node', async () => {
      expect(await refusal(stage(), 'kubelet worker-0', change('/api/v1/nodes/worker-1'))).toMatch(
        /node "worker-0" is not allowed to modify node "worker-1"/,
      )
    })
  })
})

/** Some rights are asked for by the way, with another request; that is no request of its own. */
function impliedBy(stage: Stage, part: string): Recorded[] {
  return requestsOf(stage, part).flatMap((request) => {
    const { user, groups, group, namespace, resource, verb, name, code } = request
    const by = { user, groups, group, namespace, code }
    // Who approves a request has to have the right to its signer.
    const signer = signers[name]
    if (resource === 'certificatesigningrequests/approval' && code === 200 && signer) {
      return [{ ...by, verb: 'approve', resource: 'signers', name: signer }]
    }
    // Who makes what goes with its owner holds the owner up when it is deleted: see processes.real.test.ts.
    if (resource === 'machineconfigs' && verb === 'create') {
      return owners.map((owner) => Object.assign({ verb: 'update', resource: owner, name }, by))
    }
    return []
  })
}

const signers: Readonly<Record<string, string>> = {
  renew: 'kubernetes.io/kube-apiserver-client-kubelet',
  serve: 'kubernetes.io/kubelet-serving',
}

const owners = [
  'containerruntimeconfigs/finalizers',
  'controllerconfigs/finalizers',
  'kubeletconfigs/finalizers',
  'machineconfigpools/finalizers',
]
