import type { TestProject } from 'vitest/node'
import { kubernetesPrograms, startCluster } from './start-cluster.ts'

/** Starts the kube-apiserver that the suites of the project `kubernetes` share. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | void> {
  const programs = kubernetesPrograms()
  if ('missing' in programs) {
    process.stderr.write(`skipping the suites against a real API server: ${programs.missing}\n`)
    project.provide('realCluster', undefined)
    return
  }
  const cluster = await startCluster(programs.directory)
  const { server, caFile, token, kubeconfig, kubectl, etcd, directory } = cluster
  project.provide('realCluster', { server, caFile, token, kubeconfig, kubectl, etcd, directory })
  return () => cluster.stop()
}
