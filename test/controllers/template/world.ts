import type { ControllerConfig, MachineConfig } from '../../../src/api/resources.ts'
import * as api from '../../../src/api/resources.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { createLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { KubeObject, Resource } from '../../../src/base/resource.ts'
import { machineConfigIndexes, pullSecretScope } from '../../../src/controllers/template/caches.ts'
import type { TemplateSet } from '../../../src/controllers/template/template-set.ts'
import { readTemplates } from '../../../src/controllers/template/template-set.ts'
import { templateController } from '../../../src/controllers/template/template.ts'
import type { Config } from '../../../src/ignition/config.ts'
import type { KubeClient, Scope } from '../../../src/kube/client.ts'
import { ControllerRunner } from '../../../src/kube/controller/controller-runner.ts'
import { Recorder } from '../../../src/kube/events/recorder.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import type { Indexes } from '../../../src/kube/informer/store.ts'
import type { Secret } from '../../../src/kube/kinds/core.ts'
import { namespaces, secrets } from '../../../src/kube/kinds/core.ts'
import { isAlreadyExists } from '../../../src/kube/failure.ts'

const maker = { version: '1.2.3', build: 'build-1' }

/** Small, and broken for workers if an image is called `broken`. */
export const smallTemplates = (more: Record<string, string> = {}): TemplateSet =>
  readTemplates(
    new Map(
      Object.entries({
        'common/00/_base/files/etc/dns': '{{ clusterDNSIP }} {{ role }}\n',
        'common/00/_base/files/var/lib/kubelet/config.json':
          '---\nmode: 0600\nwhen: pullSecret\n---\n{{ pullSecret }}\n',
        'common/00/_base/files/etc/ca':
          "---\nwhen: certificateDelivery == 'rendered'\n---\n{{ rootCAData }}",
        'worker/01-kubelet/_base/files/etc/b':
          '{% if images.broken %}\n{{ pullSecret.nope }}{% endif %}',
        'master/01-kubelet/_base/files/etc/b': '{{ images.broken | default: "-" }}',
        'arbiter/01-kubelet/_base/files/etc/b': '',
        ...more,
      }).map(([path, text]) => [`${path}.liquid`, text]),
    ),
  )

/** A template controller at work on a cluster. */
export class World {
  readonly metrics = new Metrics()
  readonly events: Recorder
  /** Everything that was logged. */
  logged = ''
  readonly #client: KubeClient
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>[] = []
  readonly #tools

  constructor(client: KubeClient, templates: TemplateSet) {
    this.#client = client
    const { metrics } = this
    const log = createLogger({
      clock: systemClock,
      write: (line) => void (this.logged += line),
      level: 'debug',
    })
    this.#tools = { clock: systemClock, random: seededRandom(7), log, metrics }
    this.events = new Recorder({
      ...this.#tools,
      api: client,
      component: 'machinist-controllers',
      instance: 'test',
    })
    const controller = templateController({
      client,
      informers: {
        controllerConfigs: this.#informer(api.controllerConfigs),
        machineConfigs: this.#informer(api.machineConfigs, machineConfigIndexes),
        pullSecrets: this.#informer(secrets, {}, pullSecretScope),
      },
      events: this.events,
      clock: systemClock,
      metrics,
      maker,
      templates,
    })
    this.#running.push(new ControllerRunner(controller, this.#tools).run(this.#stop.signal))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
    await this.events.close()
  }

  #informer<T extends KubeObject>(
    place: Resource<T>,
    indexes: Indexes<T> = {},
    scope: Scope = {},
  ): Informer<T> {
    const source = this.#client.listWatch(place, scope)
    const informer = new Informer<T>({ ...this.#tools, resource: place.plural, source, indexes })
    this.#running.push(informer.start(this.#stop.signal))
    return informer
  }
}

export const theConfig = { name: 'machine-config-controller' }

export async function makeNamespace(client: KubeClient, name: string): Promise<void> {
  try {
    await client.create(namespaces, { metadata: { name } })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

export const pullSecret = (text: string): Secret => ({
  metadata: { namespace: 'openshift-config', name: 'pull-secret' },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
})

/** The contents of a file in a MachineConfig, percent-encoded as they stand there. */
export function sourceOf({ spec }: MachineConfig, path: string): string | undefined {
  const { storage } = (spec?.config ?? {}) as Partial<Config>
  return storage?.files?.find((file) => file.path === path)?.contents?.source
}

/** `TemplateControllerFailing: True BadTemplate`, one line each. */
export function conditionsOf({ status }: ControllerConfig): string[] {
  return (status?.conditions ?? []).map(
    ({ type, status: holds, reason }) => `${type}: ${holds} ${reason}`,
  )
}
