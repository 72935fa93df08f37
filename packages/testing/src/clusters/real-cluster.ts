import { afterAll, describe, expect, inject, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { clientFrom } from './real-client.ts'
import type { Cluster, ClusterAddress, ClusterOptions } from './start-cluster.ts'
import { kubernetesPrograms, startCluster } from './start-cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    realCluster: ClusterAddress | undefined
  }
}

/** The cluster that all suites of the project `kubernetes` share; undefined if no binaries are installed. */
function realCluster(): ClusterAddress | undefined {
  return inject('realCluster')
}

/** A suite on the shared cluster. Use a separate namespace: other suites run concurrently. */
export function describeOnRealCluster(
  name: string,
  suite: (cluster: ClusterAddress) => void,
): void {
  const cluster = realCluster()
  describe.for([name])('%s', () => {
    if (cluster) return suite(cluster)
    it('requires a kube-apiserver', ({ skip }) => {
      expect(cluster).toBeUndefined()
      skip('kube-apiserver is not installed: run scripts/kubernetes.sh --build')
    })
  })
}

/** A cluster for one suite, which may stop and restart the servers or change their certificates. */
export async function startPrivateCluster(options?: ClusterOptions): Promise<Cluster> {
  const programs = kubernetesPrograms()
  if ('missing' in programs) throw new Error(programs.missing)
  return startCluster(programs.directory, options)
}

/** Runs cases on a separate cluster, because pools, nodes and CRDs are cluster-scoped. */
export async function onPrivateCluster(
  name: string,
  cases: (client: KubeClient) => void,
): Promise<void> {
  const cluster = realCluster() && (await startPrivateCluster())
  const client = cluster && (await clientFrom(cluster.kubeconfig))
  describeOnRealCluster(`${name} on a real API server`, () => {
    afterAll(() => cluster!.stop())
    cases(client!)
  })
}
