import { afterAll, describe, expect, inject, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client'
import { clientFrom } from './real-client.ts'
import type { Cluster, ClusterAddress, ClusterOptions } from './start-cluster.ts'
import { kubernetesPrograms, startCluster } from './start-cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    realCluster: ClusterAddress | undefined
  }
}

/** The cluster that all suites of the project `kubernetes` share, or undefined where no binaries are installed. */
function realCluster(): ClusterAddress | undefined {
  return inject('realCluster')
}

/** A suite over the shared cluster. Make a namespace of your own: other suites run beside you. */
export function describeOnRealCluster(
  name: string,
  suite: (cluster: ClusterAddress) => void,
): void {
  const cluster = realCluster()
  describe.for([name])('%s', () => {
    if (cluster) return suite(cluster)
    it('needs a kube-apiserver', ({ skip }) => {
      expect(cluster).toBeUndefined()
      skip('no kube-apiserver here: run scripts/kubernetes.sh --build')
    })
  })
}

/** A cluster for one suite alone, whose servers it may stop, restart or give other certificates. */
export async function startPrivateCluster(options?: ClusterOptions): Promise<Cluster> {
  const programs = kubernetesPrograms()
  if ('missing' in programs) throw new Error(programs.missing)
  return startCluster(programs.directory, options)
}

/** Cases that have a real cluster for themselves: pools, nodes and definitions are a whole cluster's. */
export async function onPrivateCluster(
  what: string,
  cases: (client: KubeClient) => void,
): Promise<void> {
  const cluster = realCluster() && (await startPrivateCluster())
  const client = cluster && (await clientFrom(cluster.kubeconfig))
  describeOnRealCluster(`${what} on a real API server`, () => {
    afterAll(() => cluster!.stop())
    cases(client!)
  })
}
