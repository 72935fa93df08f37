import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseYaml } from '@machinist/core/encoding/yaml'
import { ChildProcesses } from '../processes/child-processes.ts'
import { until } from '../until.ts'
import type { StartedTarget, ConformanceTarget } from './target.ts'

const root = join(import.meta.dirname, '../../../..')
const machinist = join(root, 'bin/machinist')

/**
 * Starts the embedded API server as a process. It is ready when it has written the kubeconfig and serves `/readyz`. The
 * environment variable CONFORMANCE_KUBECONFIG selects a running server instead, for example in a debugger.
 */
export async function startEmbedded(): Promise<StartedTarget> {
  const kubectl = kubectlProgram()
  const external = process.env['CONFORMANCE_KUBECONFIG']
  if (external !== undefined) return alreadyRunning(external, kubectl)
  const directory = mkdtempSync(join(tmpdir(), 'machinist-embedded-'))
  const children = new ChildProcesses(directory)
  try {
    const target = await startServer(children, directory, kubectl)
    return { target, stop: () => children.stop() }
  } catch (error) {
    const log = existsSync(join(directory, 'machinist.log')) ? children.logTail('machinist') : ''
    await children.stop()
    throw new Error(`machinist apiserver did not become ready; the end of its log:\n${log}`, {
      cause: error,
    })
  }
}

/** Downloads kubectl if it is not installed, so that the suite is never skipped. */
function kubectlProgram(): string {
  const script = join(root, 'scripts/kubectl.sh')
  try {
    return execFileSync(script, ['--fetch'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch (error) {
    const { stderr } = error as { stderr?: string }
    throw new Error(stderr?.trim() ?? 'scripts/kubectl.sh cannot be run', { cause: error })
  }
}

function alreadyRunning(kubeconfig: string, kubectl: string): StartedTarget {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-embedded-'))
  const target: ConformanceTarget = {
    name: 'embedded',
    kubectl,
    kubeconfig,
    directory,
    ...readKubeconfig(kubeconfig, directory),
  }
  return { target, stop: async () => rmSync(directory, { recursive: true, force: true }) }
}

async function startServer(
  children: ChildProcesses,
  directory: string,
  kubectl: string,
): Promise<ConformanceTarget> {
  const kubeconfig = join(directory, 'kubeconfig')
  const data = join(directory, 'data')
  const child = children.start('machinist', machinist, [
    'apiserver',
    '--data',
    data,
    '--listen',
    '127.0.0.1:0',
    '--kubeconfig',
    kubeconfig,
  ])
  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`it exited with code ${child.exitCode}`)
    if (!existsSync(kubeconfig)) return false
    const probe = spawnSync(kubectl, [`--kubeconfig=${kubeconfig}`, 'get', '--raw', '/readyz'])
    return probe.status === 0
  }
  await until('the embedded server is ready', isReady)
  return {
    name: 'embedded',
    kubectl,
    kubeconfig,
    directory,
    ...readKubeconfig(kubeconfig, directory),
  }
}

/** Reads server, token and CA of the kubeconfig, and writes an inline CA to a file. */
function readKubeconfig(
  kubeconfig: string,
  directory: string,
): Pick<ConformanceTarget, 'server' | 'caFile' | 'token'> {
  const config = parseYaml(readFileSync(kubeconfig, 'utf8'), kubeconfig) as Kubeconfig
  const cluster = config.clusters[0]?.cluster
  const token = config.users[0]?.user.token
  if (!cluster || !token) throw new Error(`${kubeconfig} has no cluster or no token`)
  const inline = cluster['certificate-authority-data']
  if (inline === undefined) {
    return { server: cluster.server, token, caFile: cluster['certificate-authority'] ?? '' }
  }
  const caFile = join(directory, 'conformance-ca.crt')
  writeFileSync(caFile, Buffer.from(inline, 'base64'))
  return { server: cluster.server, token, caFile }
}

interface Kubeconfig {
  clusters: {
    cluster: {
      server: string
      'certificate-authority'?: string
      'certificate-authority-data'?: string
    }
  }[]
  users: { user: { token?: string } }[]
}
