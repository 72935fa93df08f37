import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '@machinist/core/clock'
import { parseYamlDocuments, toYaml } from '@machinist/core/encoding/yaml'
import { createLogger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import { configMaps, nodes, serviceAccounts } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { createAuthority, issueCertificate, validFor } from '@machinist/pki/issue'
import { ChildProcesses } from '@machinist/testing/processes/child-processes'
import { until } from '@machinist/testing/until'
import { clusterFacts, configMaps as sources, namespaces } from '../../../src/api/names.ts'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import { machineConfigPools, machineConfigs } from '../../../src/api/kinds/resources.ts'
import { nodeAnnotations } from '../../../src/api/annotations.ts'
import type { Cluster } from '../../../src/devcluster/cluster.ts'
import { startCluster } from '../../../src/devcluster/cluster.ts'
import { signApprovedRequests } from './certificate-signer.ts'

const checkout = join(import.meta.dirname, '../../..')
const machinist = join(checkout, 'bin/machinist')

const validity = validFor(systemClock, 86_400_000)

/**
 * A cluster that machines can join: the embedded API with operator, controllers and signer in this process, and the machine config
 * server as a process. It has no nodes.
 */
export class JoinCluster {
  readonly directory: string
  readonly cluster: Cluster
  readonly #children: ChildProcesses
  readonly #stop = new AbortController()
  readonly #signing: Promise<void>

  private constructor(directory: string, cluster: Cluster, children: ChildProcesses) {
    this.directory = directory
    this.cluster = cluster
    this.#children = children
    this.#signing = signApprovedRequests(cluster.client, cluster.api.authority, this.#stop.signal)
  }

  /** `address` is a loopback address of its own, because the port of the server is fixed. */
  static async start(address: string): Promise<JoinCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'machinist-join-'))
    const children = new ChildProcesses(directory)
    const lines: string[] = []
    const log = createLogger({ clock: systemClock, write: (line) => void lines.push(line) })
    const data = join(directory, 'data')
    const cluster = await startCluster({ data, speed: 40, log, size: new Map() })
    const joined = new JoinCluster(directory, cluster, children)
    try {
      await joined.#prepare(address)
    } catch (error) {
      await joined.stop()
      throw new Error(`the cluster does not start:\n${lines.slice(-20).join('')}`, { cause: error })
    }
    return joined
  }

  get client(): Cluster['client'] {
    return this.cluster.client
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#signing
    await this.cluster.stop()
    await this.#children.stop()
  }

  async #prepare(address: string): Promise<void> {
    await this.#setClusterFacts(address)
    await this.#grantPermissions()
    const authority = await createAuthority({ name: 'machine config server', validity })
    const rootCA = { [sources.rootCA.key]: authority.certificate }
    await this.client.patch(configMaps, sources.rootCA, mergePatch({ data: rootCA }))
    const server = await issueCertificate(authority, {
      commonName: 'machine-config-server',
      ipAddresses: [address],
      usages: ['server'],
      validity,
    })
    const [cert, key] = [join(this.directory, 'tls.crt'), join(this.directory, 'tls.key')]
    writeFileSync(cert, server.certificate)
    writeFileSync(key, server.key)
    const { kubeconfig } = this.cluster.api
    const listen = [`--listen=${address}:22623`, `--tls-cert=${cert}`, `--tls-key=${key}`]
    const child = this.#children.start('server', machinist, [
      'server',
      `--kubeconfig=${kubeconfig}`,
      ...listen,
    ])
    await until('the user data is complete', async () => {
      if (child.exitCode !== null) throw new Error(this.serverLog())
      const pointer = await this.pointer('worker').catch(() => '')
      return (
        pointer.includes(`https://${address}:22623/`) && pointer.includes(base64(rootCA['ca.crt']!))
      )
    })
  }

  serverLog(): string {
    return this.#children.logTail('server', 40)
  }

  /** As an administrator prints it for a machine. */
  async pointer(pool: string, ...more: readonly string[]): Promise<string> {
    return this.machinist('pointer', `--pool=${pool}`, ...more)
  }

  /** Runs a command as the administrator of the cluster. */
  async machinist(...args: readonly string[]): Promise<string> {
    const { kubeconfig } = this.cluster.api
    const { stdout } = await promisify(execFile)(machinist, [...args, `--kubeconfig=${kubeconfig}`])
    return stdout.trim()
  }

  /** Creates MachineConfigs, and returns the rendered config of the pool once it contains all of them. */
  async configure(pool: string, configs: readonly MachineConfig[]): Promise<string> {
    for (const config of configs) await this.client.create(machineConfigs, config)
    let name = ''
    await until(`pool ${pool} is rendered`, async () => {
      const { spec } = await this.client.get(machineConfigPools, { name: pool })
      const sources = spec.configuration?.source?.map((source) => source.name) ?? []
      name = spec.configuration?.name ?? ''
      return configs.every(({ metadata }) => sources.includes(metadata.name))
    })
    return name
  }

  /** Waits until the Node is Done in this config. */
  done(node: string, config: string, log: () => string): Promise<void> {
    return until(`${node} is Done in ${config}`, async () => {
      const found = await this.client.get(nodes, { name: node }).catch(() => undefined)
      const annotations = found?.metadata.annotations ?? {}
      const state = annotations[nodeAnnotations.state]
      if (state === 'Degraded' || state === 'Unreconcilable') {
        throw new Error(`${state}: ${annotations[nodeAnnotations.reason]}`)
      }
      return annotations[nodeAnnotations.currentConfig] === config && state === 'Done'
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.serverLog()}\n${log()}`)
    })
  }

  async #setClusterFacts(address: string): Promise<void> {
    const infrastructure = toYaml({
      spec: {},
      status: {
        apiServerInternalURI: this.cluster.api.url,
        controlPlaneTopology: 'HighlyAvailable',
        platformStatus: { type: 'BareMetal', baremetal: { apiServerInternalIPs: [address] } },
      },
    })
    const images = toYaml({ machinistDaemon: 'registry.example/machinist-daemon:0.1.0' })
    const data = { infrastructure, images, containerRuntime: 'containerd' }
    await this.client.patch(configMaps, clusterFacts, mergePatch({ data }))
  }

  /** Of new machines, of kubelets (a real API server has the node authorizer for them), and of daemons that use their identity. */
  async #grantPermissions(): Promise<void> {
    const namespace = namespaces.operator
    await this.client.create(serviceAccounts, {
      metadata: { namespace, name: 'node-bootstrapper' },
    })
    await this.client.create(clusterRoles, bootstrapperRole)
    await this.client.create(
      clusterRoleBindings,
      binding('node-bootstrapper', {
        kind: 'ServiceAccount',
        namespace,
        name: 'node-bootstrapper',
      }),
    )
    await this.client.create(clusterRoleBindings, binding('system:node', systemNodes))
    const file = join(checkout, 'deploy/daemon/rbac.yaml')
    for (const object of parseYamlDocuments(readFileSync(file, 'utf8'), file) as RbacObject[]) {
      const kind = kinds.find((each) => each.kind === object.kind)!
      await this.client.create(
        kind,
        object.subjects ? { ...object, subjects: [systemNodes] } : object,
      )
    }
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

interface RbacObject extends KubeObject {
  rules?: object[]
  roleRef?: object
  subjects?: object[]
}

const rbac = (kind: string, namespaced: boolean) =>
  resource<RbacObject>({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
  })

const clusterRoles = rbac('ClusterRole', false)
const clusterRoleBindings = rbac('ClusterRoleBinding', false)
const kinds = [clusterRoles, clusterRoleBindings, rbac('Role', true), rbac('RoleBinding', true)]

const systemNodes = {
  apiGroup: 'rbac.authorization.k8s.io',
  kind: 'Group',
  name: 'system:nodes',
}

const bootstrapperRole = {
  metadata: { name: 'node-bootstrapper' },
  rules: [
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests'],
      verbs: ['create', 'get', 'list', 'watch'],
    },
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests/nodeclient'],
      verbs: ['create'],
    },
  ],
}

const binding = (role: string, subject: object): RbacObject => ({
  metadata: { name: `${role}-of-the-test` },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [subject],
})
