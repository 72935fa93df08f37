import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseYaml } from '@machinist/core/yaml'
import { ChildProcesses } from './child-processes.ts'
import { until } from './until.ts'
import type { Started, Target } from './target.ts'

const root = join(import.meta.dirname, '../../..')
const machinist = join(root, 'bin/machinist')

/**
 * Our own server, as a process of its own. It is ready when it has written the kubeconfig and answers `/readyz`. The
 * environment's CONFORMANCE_KUBECONFIG names one that runs already, e.g. under a debugger.
 */
export async function startEmbedded(): Promise<Started> {
  const kubectl = kubectlProgram()
  const elsewhere = process.env['CONFORMANCE_KUBECONFIG']
  if (elsewhere !== undefined) return alreadyRunning(elsewhere, kubectl)
  const directory = mkdtempSync(join(tmpdir(), 'machinist-embedded-'))
  const children = new ChildProcesses(directory)
  try {
    const target = await ready(children, directory, kubectl)
    return { target, stop: () => children.stop() }
  } catch (error) {
    const said = existsSync(join(directory, 'machinist.log')) ? children.logTail('machinist') : ''
    await children.stop()
    throw new Error(`machinist apiserver did not become ready; the end of its log:\n${said}`, {
      cause: error,
    })
  }
}

/** This half of the suite never stands aside: where no kubectl is at hand, one is fetched. */
function kubectlProgram(): string {
  const script = join(root, 'scripts/kubectl.sh')
  try {
    return execFileSync(script, ['--fetch'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch (error) {
    const { stderr } = error as { stderr?: string }
    throw new Error(stderr?.trim() ?? 'scripts/kubectl.sh cannot be run', { cause: error })
  }
}

function alreadyRunning(kubeconfig: string, kubectl: string): Started {
  const directory = mkdtempSync(join(tmpdir(), 'machinist-embedded-'))
  const target: Target = {
    name: 'embedded',
    kubectl,
    kubeconfig,
    directory,
    ...reached(kubeconfig, directory),
  }
  return { target, stop: async () => rmSync(directory, { recursive: true, force: true }) }
}

async function ready(
  children: ChildProcesses,
  directory: string,
  kubectl: string,
): Promise<Target> {
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
  const answers = (): boolean => {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`)
    if (!existsSync(kubeconfig)) return false
    const asked = spawnSync(kubectl, [`--kubeconfig=${kubeconfig}`, 'get', '--raw', '/readyz'])
    return asked.status === 0
  }
  await until('the embedded server answers', answers)
  return { name: 'embedded', kubectl, kubeconfig, directory, ...reached(kubeconfig, directory) }
}

/** What the written kubeconfig says, with the CA in a file and the token in hand. */
function reached(
  kubeconfig: string,
  directory: string,
): Pick<Target, 'server' | 'caFile' | 'token'> {
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
