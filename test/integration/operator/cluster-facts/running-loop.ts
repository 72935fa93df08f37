import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { ControllerSet } from '@machinist/kube/controller/controller-set'
import { runControllerSet } from '@machinist/kube/controller/controller-set'
import type { Recorder } from '@machinist/kube/events/recorder'
import { isNotFound } from '@machinist/kube/failure'
import { Informer } from '@machinist/kube/informer/informer'
import type { CustomResourceDefinition } from '@machinist/kube/kinds/apiextensions'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import { until } from '@machinist/testing/until'
import type { ControllerConfig } from '../../../../src/api/kinds/resources.ts'
import { controllerConfigs } from '../../../../src/api/kinds/resources.ts'
import { clusterFactsCaches } from '../../../../src/operator/cluster-facts/caches.ts'
import { clusterFactsController } from '../../../../src/operator/cluster-facts/cluster-facts.ts'

/** A running cluster-facts controller. */
export class RunningClusterFacts {
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
    const controllers: ControllerSet['controllers'] = (context, keep) => {
      this.events = context.events as Recorder
      const source = client.listWatch(controllerConfigs)
      const followed = new Informer<ControllerConfig>({ ...tools, resource: 'configs', source })
      keep(followed)
      const caches = clusterFactsCaches(context, followed, keep)
      return [clusterFactsController(context, caches, { version: '1.2.3' })]
    }
    const set = { ...tools, client, component: 'operator', controllers }
    this.#running = runControllerSet(set, this.#stop.signal)
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

/** Installs a CRD of an OpenShift kind without a schema. */
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
