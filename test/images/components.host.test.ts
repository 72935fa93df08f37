import type { ChildProcess } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { leases } from '@machinist/kube/kinds/coordination'
import { namespaces } from '@machinist/kube/kinds/core'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import type { Api } from '../integration/daemon/cluster/api.ts'
import { startApi } from '../integration/daemon/cluster/api.ts'
import { describeImages } from './images.ts'
import type { Account } from './pod.ts'
import { accountOf, megabytes, statusOf } from './pod.ts'
import { argsOf } from './workload-args.ts'

const script = join(import.meta.dirname, 'run-in-image.sh')
const namespace = 'openshift-machine-config-operator'

/** As in a pod: no capabilities, a read-only root, a service account, and the arguments of the manifests. */
describeImages('those who run once per cluster, from their image', ({ machinist }) => {
  let api: Api
  let account: Account
  let children: ChildProcesses
  let directory: string

  beforeAll(async () => {
    api = await startApi()
    await api.client.create(namespaces, { metadata: { name: namespace } })
    directory = mkdtempSync(join(tmpdir(), 'machinist-pods-'))
    children = new ChildProcesses(directory)
    account = await accountOf(api.kubeconfig, join(directory, 'account'))
  })

  afterAll(async () => {
    await children?.stop()
    await api?.stop()
  })

  /** The command that becomes `program` by exec, with the same process id. */
  const inPod = (...program: readonly string[]): [string, string[]] => {
    const { hostname, port } = account.server
    const variables = [`KUBERNETES_SERVICE_HOST=${hostname}`, `KUBERNETES_SERVICE_PORT=${port}`]
    const apart = ['unshare', '--mount', '--propagation', 'private']
    const pod = [script, machinist.root, machinist.config.User, account.directory]
    const words = [`PATH=${process.env['PATH']}`, ...variables, ...apart, ...pod]
    return ['env', ['-i', ...words, ...program]]
  }

  const logOf = (name: string): string => readFileSync(join(directory, `${name}.log`), 'utf8')

  const isReady = async (name: string, child: ChildProcess): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`the process ended:\n${children.logTail(name)}`)
    const health = /^ready: .*(http:\/\/\S+)$/m.exec(logOf(name))?.[1]
    return health !== undefined && (await fetch(`${health}/readyz`)).status === 200
  }

  it.each([
    ['operator', 'machine-config'],
    ['controller', 'machine-config-controller'],
    ['signer', 'machinist-signer'],
  ])('%s: is ready with the lease, has no capabilities, and exits cleanly', async (name, lease) => {
    const began = performance.now()
    const args = [...machinist.config.Entrypoint, ...argsOf(`${name}/deployment.yaml`)]
    const child = children.start(name, ...inPod(...args))
    await until('the component is ready', () => isReady(name, child))
    const took = Math.round(performance.now() - began)
    process.stderr.write(`${name}: ready after ${took} ms with ${megabytes(child.pid!)} MB\n`)
    const { spec } = await api.client.get(leases, { namespace, name: lease })
    expect(spec?.holderIdentity).not.toBe('')
    expect(statusOf(child.pid!, 'Uid').split('\t')).toEqual(Array(4).fill('65532'))
    expect([statusOf(child.pid!, 'CapEff'), statusOf(child.pid!, 'CapPrm')]).toEqual([
      '0000000000000000',
      '0000000000000000',
    ])
    expect(statusOf(child.pid!, 'NoNewPrivs')).toBe('1')
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it.each(['/opt/machinist/x', '/tmp/x', '/x'])('cannot write %s', (path) => {
    const [node] = machinist.config.Entrypoint as [string]
    const write = `fs.writeFileSync('${path}', '')`
    const [program, args] = inPod(node, '--eval', write)
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('EROFS: read-only file system')
  })
})
