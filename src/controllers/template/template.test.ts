import { expect, it } from 'vitest'
import type { ControllerConfig } from '../../api/resources.ts'
import { silentLogger } from '../../base/log.ts'
import { Metrics } from '../../base/metrics.ts'
import type { KubeObject } from '../../base/resource.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import { KubeClient } from '../../kube/client.ts'
import { ApiFailure } from '../../kube/failure.ts'
import type { Transport } from '../../kube/transport.ts'
import type { Cache } from '../render/caches.ts'
import { readTemplates } from './template-set.ts'
import { templateController } from './template.ts'

const name = 'machine-config-controller'
const controllerConfig = { metadata: { name, uid: 'u', generation: 1 }, spec: {} }

const cacheOf = <T extends KubeObject>(...objects: readonly T[]): Cache<T> => ({
  get: (key) => objects.find(({ metadata }) => metadata.name === key),
  list: () => [...objects],
  byIndex: () => [],
  synced: () => Promise.resolve(true),
  subscribe: () => () => undefined,
})

/** A server that takes the status, and refuses MachineConfigs with this code. */
const refusing = (code: number): Transport => ({
  request: (request) => {
    const { method, path } = request
    if (method === 'POST') {
      return Promise.reject(new ApiFailure({ method, path }, code, { reason: 'Forbidden' }))
    }
    const body = Buffer.from(JSON.stringify(request.body ?? controllerConfig))
    return Promise.resolve({ code: 200, contentType: 'application/json', body })
  },
  stream: () => {
    throw new Error('nothing is followed here')
  },
  close: () => undefined,
})

it.each([403, 422])(
  'looks again after a refusal with %i: nobody tells when it is over',
  async (code) => {
    const clock = new VirtualClock()
    const controller = templateController({
      client: new KubeClient({ transport: refusing(code), clock, random: { next: () => 0 } }),
      informers: {
        controllerConfigs: cacheOf(controllerConfig as ControllerConfig),
        machineConfigs: cacheOf(),
        pullSecrets: cacheOf(),
      },
      events: { normal: () => undefined, warning: () => undefined },
      clock,
      metrics: new Metrics(),
      maker: { version: '1', build: 'b' },
      templates: readTemplates(new Map([['common/00/_base/files/etc/a.liquid', 'a']])),
    })
    const context = { log: silentLogger, signal: new AbortController().signal, retries: 0 }
    const outcome = await controller.reconcile(name, context)
    expect(outcome).toEqual({ type: 'look-again', afterMs: 60_000 })
  },
)
