import type { ChildProcess } from 'node:child_process'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { toYaml } from '@machinist/core/encoding/yaml'
import { ChildProcesses, end } from '../processes/child-processes.ts'
import type { Authority } from '../certificates/tls.ts'
import { authorityOf, createAuthority } from '../certificates/tls.ts'

/** Address and administrator credentials of a real cluster. Plain data, so that it can be passed to test workers. */
export interface ClusterAddress {
  /** `https://127.0.0.1:port` */
  readonly server: string
  /** The CA of the serving certificate. */
  readonly caFile: string
  /** A bearer token of the group system:masters. */
  readonly token: string
  /** A kubeconfig file with that token. */
  readonly kubeconfig: string
  /** The kubectl program. */
  readonly kubectl: string
  /** The client URL of etcd, plain HTTP; `/v3/kv/...` is the JSON gateway. */
  readonly etcd: string
  /** Scratch directory of the cluster: keys, logs, data. */
  readonly directory: string
}

/** A separate cluster whose servers a test can stop and restart. */
export interface Cluster extends ClusterAddress {
  /** Stops kube-apiserver, for example to start it with other files. etcd and all objects stay. */
  stopApiServer(signal?: NodeJS.Signals): Promise<void>
  startApiServer(): Promise<void>
  /** Writes a new serving certificate. kube-apiserver reloads it for new connections. */
  serveWith(authority: Authority): void
  /** Sets the bearer tokens of administrators for the next start. */
  acceptTokens(tokens: readonly string[]): void
  /** The process ids of kube-apiserver and etcd. */
  pids(): number[]
  stop(): Promise<void>
}

export interface ClusterOptions {
  /** Whether etcd syncs every write to disk, as in production. False by default. */
  readonly durable?: boolean
  /** Additional flags of kube-apiserver; `directory` is the directory of the cluster. */
  readonly flags?: (directory: string) => readonly string[]
}

/** The directory with kube-apiserver, etcd and kubectl, or the reason why they are missing. */
export function kubernetesPrograms(): { directory: string } | { missing: string } {
  const script = join(import.meta.dirname, '../../../../scripts/kubernetes.sh')
  try {
    return { directory: execFileSync(script, { encoding: 'utf8', stdio: 'pipe' }).trim() }
  } catch (error) {
    return { missing: String((error as { stderr?: string }).stderr ?? error).trim() }
  }
}

/** The CA of accepted client certificates. */
export function clientAuthority(cluster: ClusterAddress): Authority {
  return authorityOf({
    certificate: readFileSync(join(cluster.directory, 'client-ca.crt'), 'utf8'),
    key: readFileSync(join(cluster.directory, 'client-ca.key'), 'utf8'),
  })
}

/** Starts etcd and kube-apiserver on free loopback ports and waits until they are ready. */
export async function startCluster(
  programs: string,
  options: ClusterOptions = {},
): Promise<Cluster> {
  for (let tries = 3; ; tries--) {
    try {
      return await attemptStart(programs, options)
    } catch (error) {
      // Another process may have taken the free port.
      if (tries === 1 || !String(error).includes('address already in use')) throw error
    }
  }
}

async function attemptStart(programs: string, options: ClusterOptions): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'machinist-cluster-'))
  const children = new ChildProcesses(directory)
  try {
    const address = await prepare(directory, programs)
    const etcd = await startEtcd(children, programs, address, options)
    const cluster = clusterControls(children, programs, address, etcd, options)
    await cluster.startApiServer()
    return cluster
  } catch (error) {
    await children.stop()
    throw error
  }
}

const token = 'administrators-token'

async function prepare(directory: string, programs: string): Promise<ClusterAddress> {
  const at = (name: string): string => join(directory, name)
  const [apiPort, etcdPort] = await Promise.all([freePort(), freePort()])
  const address = {
    server: `https://127.0.0.1:${apiPort}`,
    caFile: at('ca.crt'),
    token,
    kubeconfig: at('kubeconfig'),
    kubectl: join(programs, 'kubectl'),
    etcd: `http://127.0.0.1:${etcdPort}`,
    directory,
  }
  const clients = createAuthority('cluster client CA')
  writeFileSync(at('client-ca.crt'), clients.certificate)
  writeFileSync(at('client-ca.key'), clients.key, { mode: 0o600 })
  writeServing(directory, createAuthority('cluster serving CA'))
  writeServiceAccountKeys(directory)
  writeTokens(directory, [token])
  writeFileSync(address.kubeconfig, toYaml(adminKubeconfig(address)), { mode: 0o600 })
  return address
}

function writeServing(directory: string, authority: Authority): void {
  const pair = authority.issueServer()
  writeFileSync(join(directory, 'ca.crt'), authority.certificate)
  writeFileSync(join(directory, 'server.key'), pair.key, { mode: 0o600 })
  writeFileSync(join(directory, 'server.crt'), pair.certificate)
}

function writeServiceAccountKeys(directory: string): void {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = { format: 'pem' } as const
  writeFileSync(join(directory, 'sa.pub'), publicKey.export({ ...pem, type: 'spki' }))
  writeFileSync(join(directory, 'sa.key'), privateKey.export({ ...pem, type: 'sec1' }))
}

function writeTokens(directory: string, tokens: readonly string[]): void {
  const lines = tokens.map((secret, i) => `${secret},admin-${i},admin-${i},"system:masters"\n`)
  writeFileSync(join(directory, 'tokens.csv'), lines.join(''), { mode: 0o600 })
}

function adminKubeconfig(address: ClusterAddress): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    clusters: [
      {
        name: 'test',
        cluster: { server: address.server, 'certificate-authority': address.caFile },
      },
    ],
    users: [{ name: 'admin', user: { token: address.token } }],
  }
}

function clusterControls(
  children: ChildProcesses,
  programs: string,
  address: ClusterAddress,
  etcd: ChildProcess,
  { flags = () => [] }: ClusterOptions,
): Cluster {
  const { directory } = address
  let apiServer: ChildProcess | undefined
  let tokens: readonly string[] = [token]
  return {
    ...address,
    async startApiServer() {
      const all = [...apiServerFlags(address), ...flags(directory)]
      const program = join(programs, 'kube-apiserver')
      apiServer = children.start('kube-apiserver', program, all, shortLived)
      const isServed = (path: string): Promise<boolean> =>
        get(`${address.server}${path}`, address.caFile, tokens[0] ?? '')
      await untilReady(
        children,
        apiServer,
        'kube-apiserver',
        // The default namespace is created shortly after readiness, and all tests need it.
        async () => (await isServed('/readyz')) && isServed('/api/v1/namespaces/default'),
      )
    },
    async stopApiServer(signal = 'SIGKILL') {
      if (apiServer) await end(apiServer, signal)
    },
    serveWith: (authority) => writeServing(directory, authority),
    acceptTokens(accepted) {
      tokens = accepted
      writeTokens(directory, accepted)
    },
    pids: () => [apiServer, etcd].flatMap((child) => child?.pid ?? []),
    stop: () => children.stop(),
  }
}

/** For short-lived Go programs: less garbage collection. */
const shortLived = { GOGC: '400' }

async function startEtcd(
  children: ChildProcesses,
  programs: string,
  { directory, etcd }: ClusterAddress,
  { durable = false }: ClusterOptions,
): Promise<ChildProcess> {
  const peer = `http://127.0.0.1:${await freePort()}`
  const flags = [
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    ...(durable ? [] : ['--unsafe-no-fsync']),
    '--log-level=warn',
  ]
  const child = children.start('etcd', join(programs, 'etcd'), flags, shortLived)
  await untilReady(children, child, 'etcd', async () => (await fetch(`${etcd}/health`)).ok)
  return child
}

function apiServerFlags({ directory, etcd, server }: ClusterAddress): string[] {
  const at = (name: string): string => join(directory, name)
  return [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${new URL(server).port}`,
    `--cert-dir=${at('certificates')}`,
    `--tls-cert-file=${at('server.crt')}`,
    `--tls-private-key-file=${at('server.key')}`,
    `--client-ca-file=${at('client-ca.crt')}`,
    `--token-auth-file=${at('tokens.csv')}`,
    `--service-account-key-file=${at('sa.pub')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    '--service-account-issuer=https://localhost',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--enable-bootstrap-token-auth=true',
    '--authorization-mode=RBAC',
    // On SIGTERM it would otherwise wait a minute for open watches.
    '--shutdown-watch-termination-grace-period=1s',
    // No controller creates tokens of service accounts, and no kubelet runs the pods.
    '--enable-admission-plugins=NodeRestriction',
    '--disable-admission-plugins=ServiceAccount',
  ]
}

/** Long, because a busy CI machine is slow. An early exit of the program is detected immediately. */
const readyTimeoutMs = 120_000

async function untilReady(
  children: ChildProcesses,
  child: ChildProcess,
  name: string,
  probe: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) break
    if (await probe().catch(() => false)) return
    await sleep(100)
  }
  throw new Error(`${name} did not become ready; the end of its log:\n${children.logTail(name)}`)
}

function get(url: string, caFile: string, bearer: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const options = {
      ca: readFileSync(caFile),
      headers: { authorization: `Bearer ${bearer}` },
      agent: false,
      timeout: 5000,
    } as const
    const outgoing = request(url, options, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    outgoing.on('error', reject)
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response')))
    outgoing.end()
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
