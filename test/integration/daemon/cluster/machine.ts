import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { coreEvents } from '@machinist/kube/kinds/events'
import { mergePatch } from '@machinist/kube/patch'
import { until } from '@machinist/testing/until'
import { nodeAnnotations } from '../../../../src/api/annotations.ts'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { MachineConfig, MachineConfigNode } from '../../../../src/api/kinds/resources.ts'
import { machineConfigNodes, machineConfigs } from '../../../../src/api/kinds/resources.ts'
import type { DaemonEnd, DaemonOptions } from '../../../../src/daemon/daemon.ts'
import { runDaemon } from '../../../../src/daemon/daemon.ts'
import { MemoryHost } from '../../../../src/daemon/host/memory/memory-host.ts'
import type { Annotated } from '../follow/facts.ts'
import { annotationsOf } from '../follow/facts.ts'

const text = { mode: 0o644, uid: 0, gid: 0 }

/** One node: its Node object, its machine in memory, and a daemon that can be started and stopped. */
export class Machine {
  readonly name: string
  readonly client: KubeClient
  readonly clock = new VirtualClock()
  readonly metrics = new Metrics()
  readonly host: MemoryHost
  readonly #options: Partial<DaemonOptions>
  #running: { stop: AbortController; end: Promise<DaemonEnd> } | undefined

  constructor(client: KubeClient, name: string, options: Partial<DaemonOptions> = {}) {
    this.client = client
    this.name = name
    this.host = new MemoryHost({ name })
    this.#options = options
  }

  /** Creates the Node, and the disk with all files of the config. */
  async joined(config: MachineConfig, annotated: Annotated = {}): Promise<this> {
    const { name } = config.metadata
    // Not Done: the daemon must verify the disk first.
    await this.node({ current: name, desired: name, state: 'Working', ...annotated })
    await this.holds(config)
    return this
  }

  async node(annotated: Annotated): Promise<void> {
    const annotations = annotationsOf(annotated)
    await this.client.create(nodes, { metadata: { name: this.name, annotations } })
  }

  async holds(config: MachineConfig): Promise<void> {
    await this.put(nodePaths.currentConfig, JSON.stringify(config))
    const { storage } = (config.spec ?? {}).config as {
      storage: { files: { path: string; contents: { source: string } }[] }
    }
    for (const { path, contents } of storage.files) {
      await this.put(path, decodeURIComponent(contents.source.slice('data:,'.length)))
    }
  }

  async put(path: string, content: string): Promise<void> {
    const parts = path.split('/').slice(1, -1)
    for (const [at] of parts.entries()) {
      const directory = `/${parts.slice(0, at + 1).join('/')}`
      await this.host.files.makeDirectory(directory, { mode: 0o755, uid: 0, gid: 0 })
    }
    await this.host.files.write(path, { content: Buffer.from(content), ...text })
  }

  async read(path: string): Promise<string> {
    return Buffer.from(await this.host.files.read(path)).toString()
  }

  start(more: Partial<DaemonOptions> = {}): void {
    const stop = new AbortController()
    const options: DaemonOptions = {
      node: this.name,
      client: this.client,
      host: this.host,
      clock: this.clock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: this.metrics,
      rules: '4.16',
      ...this.#options,
      ...more,
    }
    this.#running = { stop, end: runDaemon(options, stop.signal) }
  }

  /** Waits for the end of the daemon while its time passes. */
  async ended(): Promise<DaemonEnd> {
    let end: DaemonEnd | undefined
    void this.#running?.end.then((how) => (end = how))
    await this.until('the daemon has ended', () => end !== undefined)
    return end!
  }

  async stop(): Promise<DaemonEnd | undefined> {
    this.#running?.stop.abort()
    return this.#running && (await this.ended())
  }

  /** Drops a daemon that was killed. */
  abandon(): void {
    this.#running?.stop.abort()
    this.#running = undefined
  }

  /** Reboots the machine and starts another daemon. */
  async reboots(): Promise<void> {
    if ((await this.ended()) !== 'rebooting') throw new Error('the machine did not reboot')
    await this.host.boot()
    this.start()
  }

  async desire(config: MachineConfig, more: Record<string, string | null> = {}): Promise<void> {
    await this.make(config)
    await this.annotate({ [nodeAnnotations.desiredConfig]: config.metadata.name, ...more })
  }

  async make(config: MachineConfig): Promise<void> {
    try {
      await this.client.create(machineConfigs, config)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }

  async annotate(annotations: Record<string, string | null>): Promise<void> {
    await this.client.patch(nodes, { name: this.name }, mergePatch({ metadata: { annotations } }))
  }

  object(): Promise<Node> {
    return this.client.get(nodes, { name: this.name })
  }

  async annotation(key: keyof typeof nodeAnnotations): Promise<string | undefined> {
    return (await this.object()).metadata.annotations?.[nodeAnnotations[key]]
  }

  progress(): Promise<MachineConfigNode> {
    return this.client.get(machineConfigNodes, { name: this.name })
  }

  async condition(type: string): Promise<string> {
    try {
      const { status } = await this.progress()
      const found = status?.conditions?.find((condition) => condition.type === type)
      return found ? `${found.status}: ${found.message}` : 'absent'
    } catch (error) {
      // The object is created in the background.
      if (isNotFound(error)) return 'absent'
      throw error
    }
  }

  async events(): Promise<string[]> {
    const page = await this.client.list(coreEvents, { namespace: 'default' })
    const own = page.items.filter(({ involvedObject }) => involvedObject.name === this.name)
    return own.map(({ reason, message }) => `${reason}: ${message}`)
  }

  /** Waits while the daemon's time passes. */
  until(what: string, condition: () => boolean | Promise<boolean>, stepMs = 50): Promise<void> {
    return until(what, async () => {
      if (await condition()) return true
      await this.clock.advance(stepMs)
      return false
    })
  }

  untilAnnotation(
    key: keyof typeof nodeAnnotations,
    value: string,
    stepMs?: number,
  ): Promise<void> {
    const isSo = async (): Promise<boolean> => (await this.annotation(key)) === value
    return this.until(`${key} of ${this.name} is ${value}`, isSo, stepMs)
  }

  async untilDone(config: string): Promise<void> {
    await this.until(`${this.name} is Done in ${config}`, async () => {
      const annotations = (await this.object()).metadata.annotations ?? {}
      return (
        annotations[nodeAnnotations.currentConfig] === config &&
        annotations[nodeAnnotations.state] === 'Done'
      )
    })
  }

  /** Acts as the drain controller for the next request. */
  async answerDrain(value: string): Promise<void> {
    await this.untilAnnotation('desiredDrain', value)
    const unschedulable = value.startsWith('drain-')
    await this.client.patch(nodes, { name: this.name }, mergePatch({ spec: { unschedulable } }))
    await this.annotate({ [nodeAnnotations.lastAppliedDrain]: value })
  }
}
