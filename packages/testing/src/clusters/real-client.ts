import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { nameSuffix, systemRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { KubeClient } from '@machinist/kube/client/client'
import type { Connection } from '@machinist/kube/connection/connection'
import { connectTo } from '@machinist/kube/connection/credentials'
import { realFiles } from '@machinist/kube/connection/files'
import { loadTarget } from '@machinist/kube/connection/load'
import { commandRunner } from '@machinist/kube/connection/run-command'
import type { Target } from '@machinist/kube/connection/target'
import { Informer } from '@machinist/kube/informer/informer'
import { namespaces } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import type { ClusterAddress } from './start-cluster.ts'

const clock = systemClock

/** A client from a kubeconfig file, as in the components. */
export async function clientFrom(kubeconfig: string): Promise<KubeClient> {
  const target = await loadTarget({ kubeconfig, env: {}, home: undefined, files: realFiles })
  return clientTo(target)
}

export function clientTo(target: Target): KubeClient {
  return clientOver(connectionTo(target))
}

export function clientOver(connection: Connection): KubeClient {
  return new KubeClient({ transport: new HttpTransport({ connection, clock }), clock })
}

export function connectionTo(target: Target, pollMs?: number): Connection {
  const run = commandRunner({ clock, env: process.env })
  return connectTo({ target, files: realFiles, run, clock, pollMs })
}

/** Creates a unique namespace on the shared cluster. It is removed with the cluster. */
export async function freshNamespace(client: KubeClient): Promise<string> {
  const name = `test-${nameSuffix(systemRandom, 8)}`
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  return name
}

/** The output of kubectl as administrator. */
export async function kubectl(cluster: ClusterAddress, ...args: string[]): Promise<string> {
  const connection = [
    `--kubeconfig=${cluster.kubeconfig}`,
    `--cache-dir=${cluster.directory}/kubectl`,
  ]
  const { stdout } = await promisify(execFile)(cluster.kubectl, [...connection, ...args])
  return stdout
}

/** An informer on real time that records its changes. */
export class RealInformer<T extends KubeObject> {
  readonly informer: Informer<T>
  readonly metrics = new Metrics()
  readonly changes: string[] = []
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(source: ListWatch<T>) {
    this.informer = new Informer({
      resource: 'tested',
      source,
      clock,
      random: systemRandom,
      log: silentLogger,
      metrics: this.metrics,
    })
    this.informer.subscribe(({ type, object }) => {
      this.changes.push(`${type} ${object.metadata.name}`)
    })
    this.#running = this.informer.start(this.#stop.signal)
  }

  /** Number of complete lists. */
  get lists(): number {
    const lines = this.metrics.text().matchAll(/^machinist_informer_relists_total\{.*\} (\d+)$/gm)
    return Array.from(lines, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}
