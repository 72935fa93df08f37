/** `make up`: a real Kubernetes API with Machinist's kinds installed, until Ctrl-C. Nothing of it is kept. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startCluster } from '../test/support/start-cluster.ts'

const root = join(import.meta.dirname, '..')
const kubeconfig = join(root, '.machinist/kubeconfig')

const programs = findPrograms()
const ended = Promise.race([untilSignal('SIGINT'), untilSignal('SIGTERM')])
const cluster = await startCluster(programs)
try {
  installKinds()
  mkdirSync(join(root, '.machinist'), { recursive: true, mode: 0o700 })
  copyFileSync(cluster.kubeconfig, kubeconfig)
  console.log(`
A Kubernetes API with Machinist's kinds runs at ${cluster.server}. In another terminal:

  export KUBECONFIG=${kubeconfig}
  export PATH=${programs}:$PATH    # for kubectl, if you have none
  kubectl get mcp
  kubectl explain mcp.spec

Ctrl-C ends it; nothing is kept.`)
  await ended
} finally {
  rmSync(kubeconfig, { force: true })
  await cluster.stop()
}

function findPrograms(): string {
  const script = join(root, 'scripts/kubernetes.sh')
  const found = spawnSync(script, ['--build'], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (found.status !== 0) process.exit(found.status ?? 1)
  return found.stdout.toString().trim()
}

function installKinds(): void {
  const kubectl = (...args: string[]): void =>
    void execFileSync(cluster.kubectl, ['--kubeconfig', cluster.kubeconfig, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  kubectl('apply', '--server-side', '-f', join(root, 'deploy/crds'))
  kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s')
}

function untilSignal(signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => void process.once(signal, () => resolve()))
}
