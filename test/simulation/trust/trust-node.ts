import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import type { Transport } from '@machinist/kube/transport/transport'
import { nodePaths } from '../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import type { Cluster } from '../cluster.ts'
import { SimulatedNode } from '../simulated-node.ts'
import type { TrustItem } from './item.ts'

/** Observes the trust of a node. */
export interface TrustWitness {
  /** Called after a change, with the previous bundles. */
  held(node: TrustNode, item: TrustItem, before: Held): void
  /** The daemon restarts the kubelet. */
  restarts(node: TrustNode): void
  /** The kubelet has started with the bundles on disk. */
  started(node: TrustNode): void
}

/** The PEM content of a trust item on a machine. */
export interface Held {
  /** The bundle that the kubelet uses, or loads at its next start. */
  readonly bundle: string | undefined
  /** The bundle and the certificates of other files. */
  readonly all: string
}

const kubelet = 'kubelet.service'
const { kubeletCA, kubeletKubeconfig, bootstrapKubeconfig } = nodePaths
const watched: ReadonlySet<string> = new Set([kubeletCA, kubeletKubeconfig, bootstrapKubeconfig])

/** A node with a kubelet. It reloads client CAs when they change, and the API server's CA at its start. */
export class TrustNode {
  readonly simulated: SimulatedNode
  readonly labels: Readonly<Record<string, string>>
  readonly #cluster: Cluster
  readonly #random: Random
  readonly #witness: TrustWitness
  readonly #seen = new Map<TrustItem, Held>()
  #isRunning = true
  /** The API server's CAs that the running kubelet has loaded. */
  #loaded: string | undefined
  /** When this node, or a process on it, was last disturbed. */
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
    const witnesses = {
      fileSeen: () => this.#look(),
      rebootRequested: () => {},
      booted: () => this.#start(),
      restarted: (unit: string) => unit === kubelet && this.#restart(),
      isHealthy: (unit: string) => unit !== kubelet || this.#isRunning,
    }
    this.simulated = new SimulatedNode(name, cluster, witnesses, {
      watched,
      ...(tamper && { tamper }),
    })
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

  /** The current content of the disk. */
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

  /** The PEM bundle that its kubelet uses. */
  trustsWith(item: TrustItem): string | undefined {
    return item === 'kubelet-client-ca' ? this.holds(item).bundle : this.#loaded
  }

  /** The first boot, with the bundles that the cluster delivers now. */
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

  /** The kubelet loads the bundle at once, and becomes healthy after a while. */
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
