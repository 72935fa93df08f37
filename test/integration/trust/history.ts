import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { Informer } from '@machinist/kube/informer/informer'
import { controllerConfigs, machineConfigs } from '../../../src/api/kinds/resources.ts'

const domain = 'machineconfiguration.openshift.io'

/** The changes that a watch of the cluster shows. */
export class History {
  /** Rendered configs, by pool: `rendered-worker-1b2c…`. */
  rendered: string[] = []
  /** The values of `service-ca-rotate`, at each change. */
  pulses: string[] = []
  /** Each new generation of the ControllerConfig. */
  generations: number[] = []
  readonly #stop = new AbortController()
  readonly #client: KubeClient
  readonly #running: Promise<void>[] = []
  #pulse: string | undefined
  #generation: number | undefined

  constructor(client: KubeClient) {
    this.#client = client
    this.#follow(machineConfigs, ({ metadata: { name } }) => {
      if (name.startsWith('rendered-') && !this.rendered.includes(name)) this.rendered.push(name)
    })
    this.#follow(controllerConfigs, ({ metadata }) => {
      const pulse = metadata.annotations?.[`${domain}/service-ca-rotate`]
      if (pulse !== undefined && pulse !== this.#pulse) this.pulses.push(pulse)
      this.#pulse = pulse
      const { generation } = metadata
      if (generation !== this.#generation) this.generations.push(generation!)
      this.#generation = generation
    })
  }

  forget(): void {
    this.rendered = []
    this.pulses = []
    this.generations = []
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  #follow(resource: Resource, seen: (object: Readonly<KubeObject>) => void): void {
    const informer = new Informer({
      clock: systemClock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: new Metrics(),
      resource: resource.plural,
      source: this.#client.listWatch(resource, { metadataOnly: true }),
    })
    informer.subscribe(({ type, object }) => {
      if (type !== 'deleted') seen(object)
    })
    this.#running.push(informer.start(this.#stop.signal))
  }
}
