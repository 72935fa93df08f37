import type { ControllerConfig } from '../../../src/api/resources.ts'
import { controllerConfigs } from '../../../src/api/resources.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { createLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { KubeObject, Resource } from '../../../src/base/resource.ts'
import { apiVersionOf } from '../../../src/base/resource.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import type { ControllerSet } from '../../../src/kube/controller/controller-set.ts'
import { runControllerSet } from '../../../src/kube/controller/controller-set.ts'
import type { Recorder } from '../../../src/kube/events/recorder.ts'
import { isNotFound } from '../../../src/kube/failure.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import type { CustomResourceDefinition } from '../../../src/kube/kinds/apiextensions.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds/apiextensions.ts'
import { factsController } from '../../../src/operator/facts/facts.ts'
import { until } from '../../support/until.ts'

/** A facts loop at work on a cluster. */
export class World {
  readonly metrics = new Metrics()
  events!: Recorder
  /** Everything that was logged. */
  logged = ''
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(client: KubeClient) {
    const { metrics } = this
    const log = createLogger({
      clock: systemClock,
      write: (line) => void (this.logged += line),
      level: 'debug',
    })
    const tools = { clock: systemClock, random: seededRandom(7), log, metrics }
    const controllers: ControllerSet['controllers'] = (events, keep) => {
      this.events = events
      const source = client.listWatch(controllerConfigs)
      const followed = new Informer<ControllerConfig>({ ...tools, resource: 'configs', source })
      const given = { ...tools, client, events, controllerConfigs: followed, version: '1.2.3' }
      const { controller, informers } = factsController(given)
      for (const informer of [followed, ...informers]) keep(informer)
      return [controller]
    }
    const set = { ...tools, client, component: 'operator', controllers }
    this.#running = runControllerSet(set, this.#stop.signal)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

/** A kind of OpenShift's that takes anything. */
export async function installKind(client: KubeClient, kind: Resource): Promise<void> {
  const { group, plural, version } = kind
  const definition: CustomResourceDefinition = {
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind: kind.kind, plural, singular: kind.kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  }
  await client.create(customResourceDefinitions, definition)
  await until(`${apiVersionOf(kind)} ${plural} are served`, async () => {
    try {
      return (await client.list<KubeObject>(kind)).items.length === 0
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  })
}
