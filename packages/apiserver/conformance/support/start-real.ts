import { kubernetesPrograms, startCluster } from '@machinist/testing/clusters/start-cluster'
import type { AbsentTarget, StartedTarget } from '@machinist/testing/clusters/target'

/** A real kube-apiserver with its own etcd. */
export async function startReal(): Promise<StartedTarget | AbsentTarget> {
  const programs = kubernetesPrograms()
  if ('missing' in programs) return { name: 'real', absent: programs.missing }
  const cluster = await startCluster(programs.directory)
  await forgetTheBeginning(cluster.etcd)
  const { server, caFile, token, kubeconfig, kubectl, directory } = cluster
  return {
    target: { name: 'real', server, caFile, token, kubeconfig, kubectl, directory },
    stop: () => cluster.stop(),
  }
}

/** Compacts the history before the cases, so that revision 1 is too old. */
async function forgetTheBeginning(etcd: string): Promise<void> {
  const post = async (path: string, body: unknown): Promise<{ header?: { revision?: string } }> => {
    const answer = await fetch(`${etcd}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return (await answer.json()) as { header?: { revision?: string } }
  }
  const { header } = await post('/v3/kv/range', { key: Buffer.from('x').toString('base64') })
  await post('/v3/kv/compaction', { revision: header?.revision, physical: true })
}
