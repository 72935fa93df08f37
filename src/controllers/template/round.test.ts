import { describe, expect, it } from 'vitest'
import { messageOf } from '@machinist/core/errors'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import { ApiFailure, ConnectionFailure } from '@machinist/kube/failure'
import type { Transport } from '@machinist/kube/transport/transport'
import { stillCache } from '../still-cache.fixture.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import type { TemplateCaches } from './inputs.ts'
import { readTemplates } from './template-set.ts'
import { templateController } from './template.ts'

const name = 'machine-config-controller'
const controllerConfig = {
  metadata: { name, uid: 'u', generation: 3 },
  spec: { pullSecret: { namespace: 'openshift-config', name: 'pull-secret' } },
}
const secret = {
  metadata: { namespace: 'openshift-config', name: 'pull-secret' },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
}

type Fault = (request: { method: string; path: string }) => Error | undefined

/** An API server with one ControllerConfig and its pull secret; requests can fail. */
class Server implements Transport {
  /** The writes in order: `PATCH annotations`, `PUT status`. */
  readonly writes: { readonly what: string; readonly body: KubeObject }[] = []
  readonly #fault: Fault

  constructor(fault: Fault = () => undefined) {
    this.#fault = fault
  }

  request: Transport['request'] = ({ method, path, body }) => {
    const fault = this.#fault({ method, path })
    if (fault) return Promise.reject(fault)
    const kind = path.split('/').at(-1)!
    if (method !== 'GET') this.writes.push({ what: `${method} ${kind}`, body: body as KubeObject })
    const stored = path.includes('/secrets/') ? secret : controllerConfig
    const answer = Buffer.from(JSON.stringify(body ?? stored))
    return Promise.resolve({ code: 200, contentType: 'application/json', body: answer })
  }

  stream = (): never => {
    throw new Error('nothing is followed here')
  }

  close = (): void => undefined
}

async function round(server: Server): Promise<unknown> {
  const clock = new VirtualClock()
  const tools = {
    client: new KubeClient({ transport: server, clock, random: { next: () => 0 } }),
    random: seededRandom(7),
    log: silentLogger,
    events: { normal: () => undefined, warning: () => undefined },
    clock,
    metrics: new Metrics(),
  }
  const caches: TemplateCaches = {
    controllerConfigs: stillCache(controllerConfig as unknown as ControllerConfig),
    machineConfigs: stillCache(),
    pullSecrets: stillCache(),
  }
  const controller = templateController(tools, caches, {
    maker: { version: '1', build: 'b' },
    templates: readTemplates(
      new Map([
        ['common/00/_base/files/etc/a.liquid', 'a'],
        ['worker/01-kubelet/_base/files/etc/b.liquid', 'b'],
      ]),
    ),
  })
  const context = { log: silentLogger, signal: new AbortController().signal, retries: 0 }
  return controller.reconcile(name, context).catch(messageOf)
}

/** `Running: True InProgress …` of the last status. */
function reported({ writes }: Server): string[] {
  const status = writes.findLast(({ what }) => what === 'PUT status')
  const { observedGeneration, conditions = [] } =
    (status?.body as ControllerConfig | undefined)?.status ?? {}
  return [
    `${observedGeneration}`,
    ...conditions.map((one) =>
      [one.type.replace(/^TemplateController|^machinist.dev\//, ''), one.status, one.message].join(
        ' ',
      ),
    ),
  ]
}

const readsSecret: Fault = ({ method, path }) =>
  method === 'GET' && path.includes('/secrets/')
    ? new ApiFailure({ method, path }, 500, { message: 'etcd has hunter2' })
    : undefined

describe('a failed read or write', () => {
  it('of the pull secret is reported and retried', async () => {
    const server = new Server(readsSecret)
    expect(await round(server)).toContain('GET /api/v1/namespaces/openshift-config/secrets/')
    const why =
      'not all MachineConfigs of master, worker are stored yet: the API server answered 500 to GET /api/v1/namespaces/openshift-config/secrets/pull-secret'
    expect(reported(server)).toEqual([
      '3',
      `Running True ${why}`,
      'Completed False ',
      'Failing False ',
      'TemplatesFailing.master False ',
      'TemplatesFailing.worker False ',
    ])
  })

  it('without a response is reported', async () => {
    const server = new Server((request) =>
      request.path.includes('/secrets/') ? new ConnectionFailure(request, 'reset') : undefined,
    )
    await round(server)
    expect(reported(server)[1]).toContain(
      'no response from the API server to GET /api/v1/namespaces/',
    )
  })

  it('of a forbidden pull secret is reported and requeued', async () => {
    const server = new Server((request) =>
      request.path.includes('/secrets/')
        ? new ApiFailure(request, 403, { reason: 'Forbidden' })
        : undefined,
    )
    expect(await round(server)).toEqual({ type: 'requeue', afterMs: 60_000 })
    const why =
      'Secret openshift-config/pull-secret, which spec.pullSecret names, cannot be read: grant this controller permission to get it'
    expect(reported(server)).toEqual([
      '3',
      'Running False ',
      'Completed False ',
      `Failing True master: ${why}; worker: ${why}`,
      `TemplatesFailing.master True ${why}`,
      `TemplatesFailing.worker True ${why}`,
    ])
  })

  it('of a MachineConfig is reported with its name', async () => {
    const server = new Server(({ method, path }) => {
      const isWorker = method === 'POST' && server.writes.length > 0
      return isWorker ? new ApiFailure({ method, path }, 503, {}) : undefined
    })
    await round(server)
    expect(reported(server)[1]).toBe(
      'Running True not all MachineConfigs of worker are stored yet: MachineConfig 00-worker: the API server answered 503 to POST /apis/machineconfiguration.openshift.io/v1/machineconfigs',
    )
  })
})

describe('the record of stored MachineConfigs', () => {
  const isPatch = ({ what }: Server['writes'][number]): boolean => what.startsWith('PATCH')

  // Digests from `printf '{"form":1,"spec":…}' | sha256sum`.
  it('is written per role to the ControllerConfig before the status', async () => {
    const server = new Server()
    await round(server)
    expect(server.writes.map(({ what }) => what)).toEqual([
      'POST machineconfigs',
      'POST machineconfigs',
      'POST machineconfigs',
      'PATCH machine-config-controller',
      'PUT status',
    ])
    expect(server.writes.find(isPatch)?.body).toEqual({
      metadata: {
        annotations: {
          'machinist.dev/templates.master': '{"00-master":"6319ba092b38e0a3e96681c7d74902a4"}',
          'machinist.dev/templates.worker':
            '{"00-worker":"6319ba092b38e0a3e96681c7d74902a4","01-worker-kubelet":"42ae1626d4484099801fa6d26d8b8eb2"}',
        },
      },
    })
  })

  it('is not written for a role that is not completely stored', async () => {
    const server = new Server(({ method, path }) => {
      const isLast = method === 'POST' && server.writes.length === 2
      return isLast ? new ApiFailure({ method, path }, 503, {}) : undefined
    })
    await round(server)
    expect(JSON.stringify(server.writes.find(isPatch)?.body)).not.toContain('templates.worker')
  })

  it('must be written before the status is Completed', async () => {
    const server = new Server(({ method, path }) =>
      method === 'PATCH' ? new ApiFailure({ method, path }, 503, {}) : undefined,
    )
    await round(server)
    expect(reported(server).slice(0, 3)).toEqual([
      '3',
      'Running True not all MachineConfigs of master, worker are stored yet: the API server answered 503 to PATCH /apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller',
      'Completed False ',
    ])
  })
})
