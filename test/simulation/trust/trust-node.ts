import { nodePaths } from '../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../src/api/resources.ts'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { Transport } from '@machinist/kube/transport'
import type { Cluster } from '../cluster.ts'
import { SimulatedNode } from '../simulated-node.ts'
import type { TrustItem } from './item.ts'

/** Who is told what a node holds. */
export interface TrustWitness {
  /** Files of certificates were like this before. */
  held(node: TrustNode, item: TrustItem, before: Held): void
  /** The daemon restarts the kubelet. */
  restarts(node: TrustNode): void
  /** The kubelet was started with what is on the disk. */
  started(node: TrustNode): void
}

/** What a machine has of an item, as PEM. */
export interface Held {
  /** What the kubelet goes by, or will. */
  readonly bundle: string | undefined
  /** The same and what is in other files. */
  readonly all: string
}

const kubelet = 'kubelet.service'
const { kubeletCA, kubeletKubeconfig, bootstrapKubeconfig } = nodePaths
const watched: ReadonlySet<string> = new Set([kubeletCA, kubeletKubeconfig, bootstrapKubeconfig])

/** A node with a kubelet that reads what is trusted: callers' CAs whenever they change, the API server's when it starts. */
export class TrustNode {
  readonly simulated: SimulatedNode
  readonly labels: Readonly<Record<string, string>>
  readonly #cluster: Cluster
  readonly #random: Random
  readonly #witness: TrustWitness
  readonly #seen = new Map<TrustItem, Held>()
  #isRunning = true
  /** By which CAs the kubelet that runs knows the API server. */
  #loaded: string | undefined
  /** When this node, or a process on it, last was not itself. */
  troubledAt = -Infinity

  constructor(
    name: string,
    labels: Readonly<Record<string, string>>,
    cluster: Cluster,
    witness: TrustWitness,
    tamper?: (transport: Transport) => Transport,
  ) {
    this.labels = labels
    this.#cluster = cluster
    this.#random = cluster.newRandom()
    this.#witness = witness
    const told = {
      fileSeen: () => this.#look(),
      rebootAsked: () => {},
      booted: () => this.#start(),
      restarted: (unit: string) => unit === kubelet && this.#restart(),
      isWell: (unit: string) => unit !== kubelet || this.#isRunning,
    }
    this.simulated = new SimulatedNode(name, cluster, told, { watched, ...(tamper && { tamper }) })
  }

  get name(): string {
    return this.simulated.name
  }

  get isKubeletRunning(): boolean {
    return this.#isRunning
  }

  get isControlPlane(): boolean {
    return this.name.startsWith('master')
  }

  /** What is on the disk now. */
  holds(item: TrustItem): Held {
    const { machine } = this.simulated
    if (item === 'kubelet-client-ca') {
      const bundle = machine.text(kubeletCA)
      return { bundle, all: bundle ?? '' }
    }
    const bundle = kubeconfigCA(machine.text(kubeletKubeconfig))
    return {
      bundle,
      all: `${bundle ?? ''}${kubeconfigCA(machine.text(bootstrapKubeconfig)) ?? ''}`,
    }
  }

  /** As PEM: what its kubelet goes by. */
  goesBy(item: TrustItem): string | undefined {
    return item === 'kubelet-client-ca' ? this.holds(item).bundle : this.#loaded
  }

  /** The first boot, with what the cluster gives at this moment. */
  async join(
    config: MachineConfig,
    given: Readonly<Partial<Record<TrustItem, string>>>,
  ): Promise<void> {
    const { machine } = this.simulated
    const { 'kubelet-client-ca': callers = '', 'api-server-ca': server } = given
    machine.plant(kubeletCA, callers, 0o644)
    if (server !== undefined) {
      machine.plant(kubeletKubeconfig, kubeconfig(server), 0o600)
      machine.plant(bootstrapKubeconfig, kubeconfig(server), 0o600)
    }
    await this.simulated.join(config, { ...this.labels })
    this.#look()
  }

  #start(): void {
    this.#isRunning = true
    this.#load()
  }

  #load(): void {
    this.#loaded = this.holds('api-server-ca').bundle
    this.#witness.started(this)
  }

  /** In one, as systemd does it; then it takes its time until it is well. */
  #restart(): void {
    this.#witness.restarts(this)
    this.#isRunning = false
    this.#load()
    this.simulated.heartbeat()
    this.#cluster.clock.after(between(this.#random, 2, 30) * 1000, () => {
      this.#isRunning = true
      this.simulated.heartbeat()
    })
  }

  #look(): void {
    for (const item of ['kubelet-client-ca', 'api-server-ca'] as const) {
      const before = this.#seen.get(item)
      const now = this.holds(item)
      if (before?.all === now.all && before.bundle === now.bundle) continue
      this.#seen.set(item, now)
      if (before && before.all !== '') this.#witness.held(this, item, before)
    }
  }
}

function kubeconfig(ca: string): string {
  const data = Buffer.from(ca).toString('base64')
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: local',
    '  cluster:',
    '    server: https://api-int.example:6443',
    `    certificate-authority-data: ${data}`,
    'contexts:',
    '- name: kubelet',
    '  context: {cluster: local, user: kubelet}',
    'current-context: kubelet',
    'users:',
    '- name: kubelet',
    '  user: {client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem}',
    '',
  ].join('\n')
}

function kubeconfigCA(text: string | undefined): string | undefined {
  const [, data] = /certificate-authority-data: *"?([A-Za-z0-9+/=]+)/.exec(text ?? '') ?? []
  return data === undefined ? undefined : Buffer.from(data, 'base64').toString()
}
