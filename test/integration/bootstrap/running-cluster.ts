import { isDeepStrictEqual } from 'node:util'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemClock } from '@machinist/core/clock'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { namespaces as namespaceResource } from '@machinist/kube/kinds/core'
import { until } from '@machinist/testing/until'
import { conditionOf } from '../../../src/api/conditions.ts'
import { machineConfigBuild } from '../../../src/api/maker.ts'
import { namespaces } from '../../../src/api/names.ts'
import type { MachineConfigPool } from '../../../src/api/kinds/resources.ts'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import { installServedKinds } from '../../../src/bootstrap/cluster/served-kinds.ts'
import { inputKinds } from '../../../src/bootstrap/manifests/input-kinds.ts'
import { runControllers } from '../../../src/controllers/run-controllers.ts'
import { runOperator } from '../../../src/operator/run-operator.ts'
import { loadTemplates } from '../../../src/process/templates.ts'
import { version } from '../../../src/process/version.ts'

/** A cluster with a running operator and running controllers, which start after the objects were created. */
export class RunningCluster {
  readonly client: KubeClient
  readonly #stopServer: () => Promise<void>
  readonly #stop = new AbortController()
  #running: Promise<unknown> = Promise.resolve()

  private constructor(client: KubeClient, stopServer: () => Promise<void>) {
    this.client = client
    this.#stopServer = stopServer
  }

  static async start(isOpenShift: boolean): Promise<RunningCluster> {
    const server = await startServer()
    const { client } = server
    await installServedKinds(client, isOpenShift)
    for (const name of Object.values(namespaces)) {
      if (name !== 'kube-system') await client.create(namespaceResource, { metadata: { name } })
    }
    return new RunningCluster(client, async () => await server[Symbol.asyncDispose]())
  }

  /** Creates the objects as kubectl does: without their status, except for OpenShift's, whose operators write it. */
  async apply(texts: Iterable<string>): Promise<void> {
    for (const text of texts) {
      for (const object of parseYamlDocuments(text, 'manifest') as WithStatus[]) {
        const resource = inputKinds.find(
          ({ kind, group }) => kind === object.kind && object.apiVersion?.startsWith(group),
        )
        if (!resource) continue
        const { status, ...rest } = object
        await until(`${object.kind} is served`, async () => {
          return (
            (await ignoreNotFound(this.client.create<KubeObject>(resource, rest))) !== undefined
          )
        })
        if (!status || !resource.group.startsWith('config.')) continue
        const key = { name: object.metadata.name }
        const patch = mergePatch({ status })
        await this.client.patch(resource, key, patch, { subresource: 'status' })
      }
    }
  }

  async run(): Promise<void> {
    const tools = {
      client: this.client,
      clock: systemClock,
      random: seededRandom(3),
      log: silentLogger,
      metrics: new Metrics(),
    }
    const maker = { version, build: machineConfigBuild(version) }
    const templates = await loadTemplates()
    const { signal } = this.#stop
    this.#running = Promise.all([
      runOperator({ ...tools, version }, signal),
      runControllers({ ...tools, maker, templates, renderWindowMs: 200 }, signal),
    ])
  }

  /** Waits until all pools are rendered as expected and have nothing to do. Returns the config of each pool. */
  async settled(expected: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    let configs = new Map<string, string>()
    const what = `the pools have ${JSON.stringify([...expected])}`
    await until(what, async () => {
      const { items } = await this.client.list(machineConfigPools)
      configs = new Map(items.map((pool) => [pool.metadata.name, finishedConfig(pool)]))
      return isDeepStrictEqual(configs, expected)
    })
    return configs
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#stopServer()
  }
}

type WithStatus = KubeObject & { readonly status?: object }

/** The rendered config of a pool that has nothing to do; otherwise empty. */
function finishedConfig({ spec, status }: MachineConfigPool): string {
  const isTrue = (type: string): boolean => conditionOf(status?.conditions, type)?.status === 'True'
  const isRendered = conditionOf(status?.conditions, 'RenderDegraded')?.status === 'False'
  return isRendered && isTrue('Updated') ? (spec.configuration?.name ?? '') : ''
}
