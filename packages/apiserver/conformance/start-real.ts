import { kubernetesPrograms, startCluster } from '@machinist/testing/start-cluster'
import type { Absent, Started } from '@machinist/testing/target'

/** A real kube-apiserver with an etcd of its own. */
export async function startReal(): Promise<Started | Absent> {
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

/** Compacts what was before the cases, so that they can ask for a revision which is certainly too old: 1. */
async function forgetTheBeginning(etcd: string): Promise<void> {
  const post = async (path: string, body: unknown): Promise<{ header?: { revision?: string } }> => {
    const answer = await fetch(`${etcd}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return (await answer.json()) as { header?: { revision?: string } }
  }
  const { header } = await post('/v3/kv/range', { key: Buffer.from('x').toString('base64') })
  await post('/v3/kv/compaction', { revision: header?.revision, physical: true })
}
