import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { until } from '@machinist/testing/until'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import { trustItems } from '../../../../src/api/trust/items.ts'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { KubeletNote } from '../../../../src/daemon/trust/api-server-ca/kubelet-note.ts'
import { ApiServerCA } from '../../../../src/daemon/trust/api-server-ca/api-server-ca.ts'
import type { ObservedItem } from '../../../../src/daemon/trust/items/item.ts'
import type { KubeletRestartTurn } from '../../../../src/daemon/trust/api-server-ca/kubelet-restart-turn.ts'
import { Ledger } from '../../../../src/daemon/trust/items/ledger.ts'

export const [bootstrap, own] = [nodePaths.bootstrapKubeconfig, nodePaths.kubeletKubeconfig]

/** Must not occur in any report. */
export const token = 'token-canary-31337'

export const kubeconfig = (pem: string): string =>
  `# a comment
clusters:
- cluster:
    certificate-authority-data: ${Buffer.from(pem).toString('base64')}
    server: https://api-int.example.com:6443
  name: local
users:
- name: kubelet
  user: {token: ${token}}
`

const root = { uid: 0, gid: 0 }

/** A machine with a kubelet, its kubeconfigs, and the part of a daemon that manages their CAs. */
export class KubeletNode {
  readonly host = new MemoryHost()
  readonly clock = new VirtualClock()
  readonly client: KubeClient
  readonly stop = new AbortController()
  /** Number of reported changes. */
  changes = 0

  constructor(client: KubeClient) {
    this.client = client
  }

  async set(pem: string): Promise<this> {
    await this.put(bootstrap, kubeconfig(pem), 0o600)
    await this.put(own, kubeconfig(pem), 0o640)
    await this.put('/etc/systemd/system/kubelet.service', '[Service]\n')
    return this
  }

  async put(path: string, text: string, mode = 0o644): Promise<void> {
    const parts = path.split('/').slice(1, -1)
    for (const [at] of parts.entries()) {
      const directory = `/${parts.slice(0, at + 1).join('/')}`
      await this.host.files.makeDirectory(directory, { mode: 0o755, ...root })
    }
    await this.host.files.write(path, { content: Buffer.from(text), mode, ...root })
  }

  async read(path: string): Promise<string> {
    return Buffer.from(await this.host.files.read(path)).toString()
  }

  /** Starts another daemon, which knows only the disk. */
  async daemon(
    turn: KubeletRestartTurn = (_signal, work) => work(),
    host: Pick<Host, 'files' | 'units' | 'power'> = this.host,
  ): Promise<ApiServerCA> {
    const ledger = await Ledger.open(host.files, silentLogger)
    return new ApiServerCA({
      host,
      client: this.client,
      notes: ledger.notes<KubeletNote>(trustItems.apiServerCA),
      clock: this.clock,
      random: seededRandom(1),
      log: silentLogger,
      signal: this.stop.signal,
      turn,
      changed: () => void this.changes++,
    })
  }

  /** Applies and observes, as the lane does. */
  async deliver(daemon: ApiServerCA): Promise<ObservedItem> {
    await daemon.apply({ desired: '', signal: this.stop.signal })
    return await daemon.observe()
  }

  /** Waits until the CAs are in effect. */
  async inEffect(daemon: ApiServerCA): Promise<ObservedItem> {
    let observed = await daemon.observe()
    await until('the kubelet has loaded the CAs', async () => {
      await this.clock.advance(1000)
      observed = await daemon.observe()
      return observed.pending === undefined && observed.failure === undefined
    })
    return observed
  }

  get restarts(): number {
    return this.host.actions.filter((each) => each.type === 'restart').length
  }
}
